#!/bin/bash
# rooms: what each file may touch. The table says it in groups of calls; the compiled
# object says what the file does touch, so neither a macro nor an inline function of a
# header hides a call. A file without a row, a row without a file, a call that is in no
# group: each is a failure, so that a wall is moved only on purpose.
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

# A group and the C library's names in it. Every room may use 'pure'.
groups() {
	cat <<-'END'
	pure    mem[a-z]* str[a-z]* __isoc23_strto[a-z]* str[a-z]*_r is(alnum|alpha|digit|xdigit|print|graph|space|upper|lower|cntrl|punct) to(upper|lower) tow(upper|lower) __ctype_[a-z_]*
	pure    malloc calloc realloc reallocarray free qsort bsearch v?sn?printf sscanf inet_(pton|ntop|aton) (hton|ntoh)[sl] __errno_location __stack_chk_fail _GLOBAL_OFFSET_TABLE_
	stdio   v?printf v?fprintf v?dprintf puts fputs fputc putchar fwrite fflush fopen fclose fdopen fgets getline std(in|out|err)
	die     _exit exit abort
	write   write writev send sendmsg
	read    read pread readv recv recvmsg lseek
	look    l?stat fstat fstatat access faccessat euidaccess readlink readlinkat getcwd statfs fstatfs realpath
	open    open openat creat memfd_create fopen
	list    opendir fdopendir readdir rewinddir closedir dirfd
	fd      close dup2? dup3 fcntl pipe2? close_range
	who     get(e?[ug]id|pid|ppid|pgrp|pgid|sid|pw[a-z_]*|gr[a-z_]*|host[a-z]*) uname sysconf
	make    mkdir(at)? mkdtemp unlink(at)? rmdir symlink(at)? link(at)? rename(at)? fchmod(at)? chmod fchown(at)? l?chown utimensat futimens f?truncate mknod(at)? mkostemp flock umask
	fork    fork _Fork clone
	exec    execve execv execvp execvpe fexecve execl[a-z]* posix_spawn[a-z]*
	wait    waitpid waitid wait wait3 wait4
	ifaddrs getifaddrs freeifaddrs
	poll    poll ppoll epoll_[a-z0-9]* select
	kill    kill killpg raise tgkill
	signal  sigaction sigprocmask sig(empty|fill)set sig(add|del)set sigismember signalfd sigwaitinfo sigtimedwait pause sigsuspend
	time    clock_gettime time usleep nanosleep timerfd_[a-z]* timer_[a-z]* alarm setitimer localtime_r gmtime_r strftime
	group   setpgid setsid tcsetpgrp tcgetpgrp tcgetattr tcsetattr isatty ioctl
	place   chdir fchdir chroot
	prctl   prctl
	limits  [gs]etrlimit prlimit getrusage setpriority
	space   unshare setns mount umount2? pivot_root
	socket  if_nametoindex socket socketpair connect bind listen accept4? [gs]etsockopt getsockname getpeername shutdown
	datagram sendto recvfrom
	names   getaddrinfo freeaddrinfo gai_strerror gethostby[a-z]* res_[a-z]*
	random  getrandom getentropy
	environ environ __environ getenv secure_getenv
	setenv  setenv putenv unsetenv clearenv
	raw     syscall
	mac     macsys_[a-z_]*
	seccomp seccomp_(init|release|reset|merge|rule_[a-z_]*|attr_[a-z]*|arch_[a-z]*|syscall_[a-z_]*|export_[a-z_]*|version|api_[a-z]*)
	ini     ini_[a-z_]*
	thread  pthread_[a-z_]*
	END
}

# A room and what it may touch besides 'pure'.
rooms() {
	cat <<-'END'
	srun.c       die look fd environ group
	alias.c      look open list fd time
	backend.c
	bwrap.c      look
	caches.c     look
	catch.c
	confine.c    open fd prctl limits raw
	conn.c       fd socket group
	connect.c    read write fd socket poll
	denials.c
	deny_set.c
	dial.c       socket
	dns.c
	env.c        who
	events.c     poll
	exchange.c
	exitcheck.c  look open list fd time
	exec.c       die write look exec
	expand.c     look
	filter.c
	gitdir.c
	glob.c       look open list fd
	graft.c      die open fd who make fork wait kill group place prctl socket raw
	grant.c      ini
	grantfind.c  look fd
	guardian.c   die write read fd who fork wait poll kill signal group socket prctl
	grantfile.c  look open read fd who poll
	host.c       look who
	hostpath.c   look who
	hostmatch.c
	hostname.c
	hostrule.c
	hostsfile.c
	http.c
	httpbody.c
	image.c
	inherited.c  fd look
	inner.c      die write read look fd who fork exec wait poll kill signal group place prctl limits space
	interp.c     read open fd
	launch.c     die write read open fd who fork exec wait poll kill signal group prctl socket raw
	listing.c    open list fd
	mkfilter.c   stdio
	mounts.c
	msg.c        die write
	narrow.c
	network.c    die read write fd fork wait poll kill signal group prctl socket ifaddrs
	netns.c      die open read write fd fork wait kill signal group prctl socket
	options.c
	path.c
	placeholder.c look write read open list fd who make time
	policy.c
	proof.c      open fd socket prctl raw
	protect.c    look
	protectalias.c
	protectgit.c look
	protecthome.c
	proxy.c      die read write fd socket datagram limits
	punycode.c
	relay.c      read write
	report.c
	resolve.c    die read open fd socket names thread time write
	rmtree.c     look open list fd make
	route.c
	rules.c
	scan.c       look open fd group time raw
	sbprofile.c
	sbrun.c      fd wait poll kill signal limits place socket mac
	scancache.c
	seatbelt.c
	seccomp.c    seccomp read fd
	sets.c
	socks.c
	state.c      die look open list read fd who make random
	tempdir.c    die look open fd who make random
	supervise.c  die write read open fd look who wait poll kill signal group limits prctl time
	sys.c        look read write open list fd time raw random space group
	textindex.c
	tls_sni.c
	tree.c       read open list fd kill time
	unbuilt.c
	util.c       die write
	value.c
	verify.c     look open fd raw
	END
}

# Which room alone may include a header: names that a whole library hides behind.
includes() {
	cat <<-'END'
	seccomp.c    <seccomp.h>
	grant.c      <ini.h>
	resolve.c    <pthread.h>
	resolve.c    <netdb.h>
	END
}

NM=${NM:-nm}
groups >"$T/groups"

# allowed_names GROUP...: one regular expression.
allowed_names() {
	for group; do
		sed -n "s/^$group  *//p" "$T/groups"
	done | tr ' ' '\n' | sed '/^$/d' | paste -sd '|'
}

# What the rooms give each other is no call of the C library.
for object in build/musl/*.o; do
	"$NM" -g --defined-only "$object" | awk 'NF == 3 { print $3 }'
done | sort -u >"$T/own"

rooms >"$T/rooms"
for file in *.c; do
	[ "$file" != musl_shim.c ] || continue
	check "$file has a row in this table" grep -q "^$file\( \|\$\)" "$T/rooms"
done
while read -r file row; do
	object=build/musl/${file%.c}.o
	if [ ! -e "$file" ] || [ ! -e "$object" ]; then
		not_ok "$file exists and is compiled"
		continue
	fi
	# shellcheck disable=SC2086 # a list of words
	names=$(allowed_names pure $row)
	over=$("$NM" -u "$object" | awk '{ print $2 }' | sort -u | comm -23 - "$T/own" |
		grep -Evx -e "$names" | paste -sd ' ')
	is "$file touches nothing but: pure $row" "$over" ''
done <"$T/rooms"

while read -r file header; do
	is "only $file includes $header" \
		"$(grep -lF "#include $header" ./*.c ./*.h | sed 's|^\./||' | paste -sd ' ')" "$file"
done <<-END
$(includes)
END

# "pure" has no hole: what it allows by pattern is checked against what it must not allow.
pure=$(allowed_names pure)
for name in system popen setenv fork execve socket open write exit isatty getenv seccomp_load; do
	check_not "'$name' is not among the pure names" sh -c "echo $name | grep -Eqx -e '$pure'"
done

# State goes through pointers: no object has a variable that can be written.
for object in build/musl/*.o; do
	variables=$(objdump -t "$object" | awk '
		$3 == "O" || $2 == "O" {
			for (i = 1; i <= NF; i++)
				if ($i ~ /^\.(data|bss)/ && $i !~ /^\.data\.rel\.ro/) print $NF
		}' | paste -sd ' ')
	is "no mutable global in $(basename "$object")" "$variables" ''
done

done_testing
