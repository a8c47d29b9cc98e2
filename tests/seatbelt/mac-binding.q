# bazelbuild/bazel#30865, ocaml/opam#5221: servers bind the wildcard address
allow listen 127.0.0.1 3000
allow listen 0.0.0.0 3000
allow listen :: 3000
allow bind 0.0.0.0 0
deny  tcp 127.0.0.1 3000
deny  tcp 1.1.1.1 443
