#!/bin/sh
# python: unit tests, processes and temporary files work as they do bare.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

have python3
unset PYTHONDONTWRITEBYTECODE PYTHONPATH
mkdir tests
: >tests/__init__.py
cat >tests/test_small.py <<'END'
import os, subprocess, sys, tempfile, threading, unittest, sqlite3, multiprocessing

class Small(unittest.TestCase):
    def test_temporary(self):
        with tempfile.NamedTemporaryFile() as f:
            f.write(b"x")
            f.flush()
            self.assertEqual(os.path.getsize(f.name), 1)
        with tempfile.TemporaryDirectory() as d:
            open(os.path.join(d, "f"), "w").close()

    def test_child(self):
        out = subprocess.run([sys.executable, "-c", "print(6*7)"], capture_output=True, text=True)
        self.assertEqual(out.stdout, "42\n")

    def test_thread(self):
        seen = []
        t = threading.Thread(target=seen.append, args=(1,))
        t.start()
        t.join()
        self.assertEqual(seen, [1])

    def test_lock(self):
        self.assertTrue(multiprocessing.Lock().acquire())

    def test_database(self):
        db = sqlite3.connect("small.db")
        db.execute("create table if not exists t (a)")
        db.execute("insert into t values (1)")
        db.commit()
        self.assertEqual(db.execute("select count(*) from t").fetchone()[0], 1)
        db.close()

    def test_files(self):
        os.makedirs("a/b")
        os.rename("a", "c")
        os.removedirs("c/b")
END
echo | grant
times='sed "s/in [0-9.]*s/in TIME/"'
same "unittest" "python3 -m unittest -v tests.test_small 2>&1 | $times"
same "a test that fails" "echo 'assert False' >>tests/test_small.py; python3 -m unittest tests.test_small >/dev/null 2>&1; echo \$?"
same "compiled files are written beside the sources" 'python3 -c "import tests.test_small" && find . -name "*.pyc" | wc -l'
same "a virtual environment without pip" 'python3 -m venv --without-pip venv >/dev/null 2>&1; echo $?; venv/bin/python -c "import sys; print(sys.prefix != sys.base_prefix)" 2>/dev/null; rm -rf venv'
if python3 -m pip --version >/dev/null 2>&1; then
	same "pip --version" 'python3 -m pip --version'
	same "pip list" 'python3 -m pip list 2>/dev/null | wc -l'
fi
inside "the errno of a refusal" "30 13" -- sh -c '
	python3 - "$1" <<-E
		import sys, os
		def no(f, *a):
		    try:
		        f(*a)
		    except OSError as e:
		        return e.errno
		print(no(open, sys.argv[1] + "/f", "w"), 13)
	E' sh "$D"

done_testing
