#!/bin/sh
# make: a C project is built, tested and cleaned as it is bare.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

have make
have cc
cat >Makefile <<'END'
CFLAGS = -O1 -Wall -pipe
OBJS = main.o add.o
prog: $(OBJS) lib.a
	$(CC) -o $@ $(OBJS) lib.a
lib.a: mul.o
	$(AR) rcs $@ mul.o
check: prog
	./prog 3 4 >out && diff out expected && echo passed
clean:
	rm -f prog *.o *.a out
END
cat >main.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int add(int, int), mul(int, int);
int main(int argc, char **argv)
{
	FILE *t = tmpfile();
	if (argc != 3)
		return 2;
	printf("%d %d\n", add(atoi(argv[1]), atoi(argv[2])), mul(atoi(argv[1]), atoi(argv[2])));
	if (t)
		fclose(t);
	return 0;
}
END
echo 'int add(int a, int b) { return a + b; }' >add.c
echo 'int mul(int a, int b) { return a * b; }' >mul.c
echo '7 12' >expected
echo | grant

same "make" 'make && ls && ./prog 2 5'
same "make -j4 check" 'make -s -j4 check && ls'
same "a test that fails" 'echo wrong >expected; make -s check 2>/dev/null'
same "a compiler's error" 'echo "int main(void) { return x; }" >main.c; make -s 2>/dev/null; echo $?'
same "without -pipe the compiler's temporary files work" 'make -s CFLAGS=-save-temps && ls | wc -l; cc -O2 -o p main.c add.c mul.c && ./p 1 2'
same "make clean" 'make -s && make -s clean && ls'
inside "make install outside the grant is refused" refused -- sh -c '
	make -s && install prog "$1" 2>/dev/null && echo made || echo refused' sh "$D"
same "tar, find, xargs, sed -i" '
	mkdir -p t/a t/b && seq 100 >t/a/f && ln -s f t/a/l && chmod 640 t/a/f && tar -cf t.tar t && mkdir u && tar -xpf t.tar -C u &&
	find u -printf "%P %m %s %y\n" | sort && find u -type f -print0 | xargs -0 sed -i s/1/x/ && cksum u/t/a/f &&
	find u -delete && ls'
same "sort, patch and gzip" 'seq 20000 | sort -r -S 10K | cksum; seq 5 >a; seq 6 >b; diff -u a b >p; patch -s a p && cmp a b && gzip -n a && gzip -dc a.gz'

done_testing
