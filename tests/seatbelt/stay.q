# True wherever /Users/a/p is a root that lies in no other.
deny  renamedir /Users/a/p /private/tmp/srun-501/abcdefgh/p
deny  rmdir /Users/a/p
