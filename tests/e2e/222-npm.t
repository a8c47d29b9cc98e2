#!/bin/sh
# npm: the tests of a small project run as they do bare.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

have node
have npm
mkdir -p test lib
cat >package.json <<'END'
{
  "name": "small",
  "version": "1.0.0",
  "private": true,
  "scripts": {
    "pretest": "node -e \"console.log('pretest')\"",
    "test": "node test/run.js",
    "fail": "node test/run.js fail"
  }
}
END
cat >lib/sum.js <<'END'
module.exports = (...n) => n.reduce((a, b) => a + b, 0);
END
cat >test/run.js <<'END'
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const child = require('child_process');
const sum = require('../lib/sum');
assert.strictEqual(sum(1, 2, 3), 6);
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'small-'));
fs.writeFileSync(path.join(dir, 'f'), 'x');
fs.rmSync(dir, { recursive: true });
fs.writeFileSync('out.txt', String(sum(4, 5)));
console.log(child.execFileSync(process.execPath, ['-p', '1+1']).toString().trim());
console.log('passed');
if (process.argv[2] === 'fail')
  process.exit(3);
END
echo | grant
same "node" 'node test/run.js; cat out.txt'
same "npm test" 'npm test; echo "exit $?"; cat out.txt'
same "npm test of a script that fails" 'npm run -s fail; echo "exit $?"'
same "a worker and a pipe" 'node -e "
	const { Worker } = require(\"worker_threads\");
	const w = new Worker(\"require(\\\"worker_threads\\\").parentPort.postMessage(7)\", { eval: true });
	w.on(\"message\", m => console.log(m))"'
same "a server and a client on loopback" 'node -e "
	const http = require(\"http\");
	const s = http.createServer((q, r) => r.end(\"hello\")).listen(0, \"127.0.0.1\", () =>
		http.get({ port: s.address().port, host: \"127.0.0.1\" }, r => { r.pipe(process.stdout); r.on(\"end\", () => s.close()); }))"'
inside "no network" ENETUNREACH -- node -e '
	require("net").connect(80, "198.51.100.1").on("error", e => console.log(e.code))'
inside "outside the grant nothing is written" EROFS -- node -e '
	try { require("fs").writeFileSync(process.argv[1], "") } catch (e) { console.log(e.code) }' "$D/f"

done_testing
