;;; facts.scm -- check the model against facts measured by others on real Macs.
;;; guile -s facts.scm        (needs sbmodel.scm beside it)
(load (string-append (dirname (current-filename)) "/sbmodel.scm"))
(define n 0) (define bad 0)
(define (check name src profile . qs)
  (load-profile-string! profile)
  (for-each
    (lambda (q)
      (let* ((w (string-tokenize q)) (want (string=? (car w) "allow"))
             (got (apply would? (cdr w))) (ok (eq? want got)))
        (set! n (+ n 1)) (if (not ok) (set! bad (+ bad 1)))
        (format #t "~a ~a - ~a: ~a [~a]~a\n" (if ok "ok" "not ok") n name q src
                (if ok "" (string-append " # " (apply why (cdr w)))))))
    qs))
(define (rejects name src profile)
  (let ((got (catch #t (lambda () (load-profile-string! profile) #f) (lambda _ #t))))
    (set! n (+ n 1)) (if (not got) (set! bad (+ bad 1)))
    (format #t "~a ~a - ~a: rejected [~a]\n" (if got "ok" "not ok") n name src)))

;; --- precedence between operations
(check "wildcard deny after exact allow" "GreyhavenHQ/greywall PR 20"
  "(version 1)(deny default)(allow file-read-data (subpath \"/\"))(deny file-read* (literal \"/p/.env\"))"
  "allow read /p/.env")
(check "exact deny after exact allow" "greywall PR 20"
  "(version 1)(deny default)(allow file-read-data (subpath \"/\"))(deny file-read-data (literal \"/p/.env\"))"
  "deny read /p/.env" "allow read /p/x")
(check "wildcard allow after exact deny" "nono macos.rs intercept_ca test"
  "(version 1)(deny default)(allow file-read* (subpath \"/Users\"))(deny file-read-data (subpath \"/Users/a/.nono\"))(allow file-read* (literal \"/Users/a/.nono/ca.pem\"))"
  "deny read /Users/a/.nono/ca.pem" "allow stat /Users/a/.nono/ca.pem")
(check "exact allow after exact deny" "nono macos.rs intercept_ca test"
  "(version 1)(deny default)(allow file-read* (subpath \"/Users\"))(deny file-read-data (subpath \"/Users/a/.nono\"))(allow file-read-data (literal \"/Users/a/.nono/ca.pem\"))"
  "allow read /Users/a/.nono/ca.pem" "deny read /Users/a/.nono/x")
(check "metadata allow beats file-read* deny" "agent-safehouse 10-system-runtime.sb note"
  "(version 1)(deny default)(allow file-read-metadata (subpath \"/private/var/run\"))(deny file-read* (regex #\"^/private/var/run/com[.]apple[.]launchd[.][^/]+/Listeners$\"))"
  "allow stat /var/run/com.apple.launchd.x/Listeners" "deny read /var/run/com.apple.launchd.x/Listeners")
(check "unlink deny survives a later file-write* allow" "claude-code 52322; srt 0.0.78 comment"
  "(version 1)(deny default)(allow file-read*)(deny file-write-unlink (subpath \"/Users\"))(allow file-write* (subpath \"/Users/a/p\"))"
  "allow write /Users/a/p/f" "allow create /Users/a/p/f" "deny unlink /Users/a/p/f")
(check "re-allow of unlink at the same operation" "srt 0.0.78 (issue 171)"
  "(version 1)(deny default)(deny file-write-unlink (subpath \"/Users\"))(allow file-write* (subpath \"/Users/a/p\"))(allow file-write-unlink (subpath \"/Users/a/p\"))"
  "allow unlink /Users/a/p/f" "deny unlink /Users/a/q")
;; --- precedence between rules of one operation
(check "allow then deny, same path" "microsoft/mxc PR 754"
  "(version 1)(deny default)(allow network-outbound (subpath \"/s\"))(deny network-outbound (subpath \"/s\"))"
  "deny unixconnect-nosock /s/a")
(check "deny then allow, same path" "mxc PR 754"
  "(version 1)(deny default)(deny network-outbound (subpath \"/s\"))(allow network-outbound (subpath \"/s\"))"
  "allow unixconnect-nosock /s/a")
(check "shallow deny, deeper allow" "mxc PR 754"
  "(version 1)(deny default)(deny network-outbound (subpath \"/s\"))(allow network-outbound (subpath \"/s/t\"))"
  "allow unixconnect-nosock /s/t/a" "deny unixconnect-nosock /s/a")
(check "allow deeper, deny shallower later" "SII-Holos/synergy PR 1440; empathic/clash PR 295"
  "(version 1)(deny default)(allow file-read* (subpath \"/Users/e\"))(deny file-read* (subpath \"/Users\"))"
  "deny read /Users/e/x")
(check "later unfiltered allow does not beat a filtered deny" "mxc PR 749/754"
  "(version 1)(deny default)(deny network-outbound (subpath \"/s\"))(allow network-outbound)"
  "deny unixconnect-nosock /s/a" "allow tcp 1.1.1.1 443" "allow unixconnect-nosock /t")
(define brew "(version 1)(debug deny)(allow file-write* (subpath \"/opt/f\"))(allow file-write-setugid (subpath \"/opt/f\"))(allow file-write-mode (subpath \"/opt/f\"))(allow file-write* (literal \"/dev/null\"))(deny file-write*)(deny file-write-setugid)(deny file-write-mode)(allow process-exec (literal \"/bin/ps\") (with no-sandbox))(allow default)")
(check "Homebrew's order: allows, then bare denies, then (allow default)" "Homebrew extend/os/mac/sandbox.rb" brew
  "allow write /opt/f/x" "deny write /opt/g" "allow setuid /opt/f/x" "deny setuid /opt/g"
  "deny chmod /opt/g" "allow chmod /opt/f/x" "allow read /opt/g" "allow tcp 1.1.1.1 80" "allow exec /bin/ls")
(check "(deny file-write-setugid) holds under a later (allow file* ...)" "nix sandbox-defaults.sb"
  "(version 1)(deny default)(deny file-write-setugid)(allow file* (subpath \"/private/tmp/nix\"))"
  "allow write /tmp/nix/a" "deny setuid /tmp/nix/a" "allow chmod /tmp/nix/a")
(check "allow default, deny, allow" "bazel DarwinSandboxedSpawnRunner"
  "(version 1)(allow default)(deny network*)(allow network* (remote ip \"localhost:*\"))(deny file-write*)(allow file-write* (subpath \"/private/tmp/b\"))(deny file-read* (subpath \"/secret\"))"
  "allow read /x" "deny read /secret/a" "deny write /x" "allow write /tmp/b/o" "deny tcp 1.1.1.1 80" "allow tcp 127.0.0.1 99" "deny udp 8.8.8.8 53")
;; --- operations that (deny default) does not cover
(define dd "(version 1)(deny default)")
(check "not covered by (deny default)" "Firefox SandboxPolicyContent.h; libsandbox 10.15/14.4 tables" dd
  "allow op process-info-pidinfo" "allow op nvram-get" "allow op file-map-executable /x"
  "allow op iokit-get-properties" "allow op file-link /x" "allow op file-clone /x" "allow op file-test-existence /x"
  "deny op file-write-setugid /x" "deny read /x" "deny fork")
(check "(allow process-info* (target same-sandbox)) narrows nothing" "srt issue 160"
  "(version 1)(deny default)(allow process-info* (target same-sandbox))(allow sysctl-read (sysctl-name \"kern.version\"))"
  "allow procargs others")
(check "deny first, then allow same-sandbox" "agent-safehouse 10-system-runtime.sb"
  "(version 1)(deny default)(deny sysctl-read (sysctl-name-regex #\"procargs\"))(deny process-info-pidinfo)(allow process-info-pidinfo (target same-sandbox))"
  "deny procargs others" "allow pidinfo same-sandbox,children")
(check "sysctl deny alone is not enough" "srt issue 160: deny sysctl by name, read anyway"
  "(version 1)(allow default)(deny sysctl-read (sysctl-name-regex #\"procargs\"))"
  "allow procargs others")
;; --- network
(check "local filter on outbound admits everything" "srt issues 131, 225; TNG PR 13"
  "(version 1)(deny default)(allow network-outbound (local ip \"localhost:*\"))"
  "allow tcp 64.233.180.139 80")
(check "remote localhost filter" "srt 131; mxc e2e"
  "(version 1)(deny default)(allow network-outbound (remote ip \"localhost:3128\"))"
  "allow tcp 127.0.0.1 3128" "allow tcp ::1 3128" "deny tcp 127.0.0.1 3129" "deny tcp 1.1.1.1 3128" "deny tcp ::ffff:127.0.0.1 3128" "allow udp 127.0.0.1 3128")
(check "remote tcp" "nono proxy mode"
  "(version 1)(deny default)(allow network-outbound (remote tcp \"localhost:3128\"))"
  "allow tcp 127.0.0.1 3128" "deny udp 127.0.0.1 3128")
(check "bind alone does not let listen; inbound gives both" "mxc PR 754, profile_builder test"
  "(version 1)(deny default)(allow network-bind (local ip))" "allow bind 127.0.0.1 8000" "deny listen 127.0.0.1 8000")
(check "inbound covers bind" "mxc PR 754"
  "(version 1)(deny default)(allow network-inbound (local ip))" "allow bind 127.0.0.1 8000" "allow listen 127.0.0.1 8000" "deny tcp 1.1.1.1 1")
(check "a path filter on network* never matches IP" "mxc docs, srt v1"
  "(version 1)(deny default)(allow network* (subpath \"/\"))" "deny tcp 1.1.1.1 80" "allow unixconnect-nosock /private/var/run/x")
(check "unix socket connect is network-outbound, not file" "nono seatbelt.mdx"
  "(version 1)(allow default)(deny file-read* file-write* (literal \"/private/var/run/docker.sock\"))"
  "allow unixconnect /var/run/docker.sock")
(check "mDNSResponder" "nix sandbox-network.sb"
  "(version 1)(deny default)(allow network-outbound (remote unix-socket (path-literal \"/private/var/run/mDNSResponder\")))"
  "allow unixconnect-nosock /var/run/mDNSResponder" "deny unixconnect-nosock /var/run/syslog" "deny unixconnect /var/run/mDNSResponder")
(rejects "a host name in a network filter" "codex 42925" "(version 1)(deny default)(allow network-outbound (remote ip \"api.github.com:443\"))")
(rejects "an address in a network filter" "codex 42925" "(version 1)(deny default)(allow network-outbound (remote ip \"127.0.0.1:443\"))")
(rejects "port 0" "nono push_localhost_tcp_outbound" "(version 1)(deny default)(allow network-outbound (remote tcp \"localhost:0\"))")
;; --- paths
(check "a rule on the symlink's path is dead" "mxc docs; apache/maka 4233; bazel 13766"
  "(version 1)(deny default)(allow file-write* (subpath \"/tmp/work\"))" "deny write /tmp/work/x")
(check "a rule on the real path works for both spellings" "mxc e2e seatbelt_honors_uncanonicalized_var_readwrite_path"
  "(version 1)(deny default)(allow file-write* (subpath \"/private/tmp/work\"))" "allow write /tmp/work/x" "allow write /private/tmp/work/x")
(check "subpath matches the path itself and respects boundaries" "cplt PR 321; gestalt PR 382"
  "(version 1)(deny default)(allow file-write* (subpath \"/private/tmp/a\"))(allow file-read* (literal \"/d\"))"
  "allow write /tmp/a" "deny write /tmp/abc/evil" "allow read /d" "deny read /d/x")
(check "read deny without move protection" "srt issue 8"
  "(version 1)(deny default)(allow file-read*)(deny file-read* (subpath \"/Users/a/.aws\"))(allow file-write* (subpath \"/Users/a\"))"
  "deny read /Users/a/.aws/credentials" "allow rename /Users/a/.aws/credentials /Users/a/p/x" "allow renamedir /Users/a/.aws /Users/a/moved")
(check "with it, and with file-link/file-clone" "srt issue 8; KiroCrew sandbox.py"
  "(version 1)(deny default)(allow file-read*)(allow file-write* (subpath \"/Users/a\"))(deny file-read* (subpath \"/Users/a/.aws\"))(deny file-write-unlink file-link file-clone (subpath \"/Users/a/.aws\"))"
  "deny rename /Users/a/.aws/credentials /Users/a/p/x" "deny renamedir /Users/a/.aws /Users/a/moved" "deny link /Users/a/.aws/credentials /Users/a/x" "deny clone /Users/a/.aws/credentials /Users/a/x")
(check "a hard link out of a read-denied tree, without file-link" "libsandbox table: file-link is terminal, allow"
  "(version 1)(deny default)(allow file-read*)(allow file-write* (subpath \"/Users/a/p\"))(deny file-read* (subpath \"/Users/a/.aws\"))"
  "allow link /Users/a/.aws/credentials /Users/a/p/x")
(check "regex is case-sensitive and unanchored" "constellation-works/orbit PR 494; Apple profiles"
  "(version 1)(allow default)(deny file-read* (regex #\"/[.]env$\"))" "deny read /p/.env" "allow read /p/.ENV" "allow read /p/.env.x")
;; --- strings
(check "raw string keeps backslashes, so a doubled one matches a backslash" "Apple reader (#\"..\"); gemini-cli seatbeltArgsBuilder escapeRegex"
  "(version 1)(allow default)(deny file-read* (regex #\"^/p/(.*/)?\\\\.env$\"))" "allow read /p/.env")
(check "in a cooked string the doubled one is a regex escape" "srt JSON.stringify"
  "(version 1)(allow default)(deny file-read* (regex \"^/p/(.*/)?\\\\.env$\"))" "deny read /p/.env" "allow read /p/xenv")
(check "a cooked single backslash vanishes" "TinyScheme reader"
  "(version 1)(allow default)(deny file-read* (regex \"^/p/\\.env$\"))" "deny read /p/xenv")
(rejects "a string over 1025 bytes" "srt 0.0.78 SBPL_STRING_MAX_BYTES"
  (string-append "(version 1)(deny default)(allow file-read* (subpath \"/" (make-string 1030 #\a) "\"))"))
(check "quotes and parentheses in a path" "nono escape_path tests"
  "(version 1)(deny default)(allow file-read* (subpath \"/t/a\\\")(allow default)(\\\"\"))" "deny read /x" "deny write /x")
;; --- language
(set! params '(("HOME" . "/Users/a")))
(check "define, param, string-append, if" "agent-safehouse 00-base.sb, chromium common.sb"
  "(version 1)(deny default)(define (home rel) (subpath (string-append (param \"HOME\") rel)))(if (param \"NO\") (allow default))(allow file-read* (home \"/x\"))(allow file-write* (require-all (home \"/x\") (require-not (literal \"/Users/a/x/y\"))))"
  "allow read /Users/a/x/y" "deny write /Users/a/x/y" "allow write /Users/a/x/z" "deny read /Users/a/z")
(format #t "1..~a\n~a passed, ~a failed\n" n (- n bad) bad)
(exit (if (zero? bad) 0 1))
