# True wherever temp is private: the run's own directory and nothing of the user's or of other runs.
# A shared TMPDIR: google-gemini/gemini-cli#29171.
allow write /tmp/srun-501/abcdefgh/x
allow mkdir /tmp/srun-501/abcdefgh/d
allow read /tmp/srun-501/abcdefgh/x
deny  read /tmp/srun-501/another/x
deny  write /tmp/srun-501/another/x
deny  renamedir /tmp/srun-501/abcdefgh /tmp/srun-501/abcdefgi
deny  read /System/Volumes/Data/private/tmp/srun-501/another/x
allow statdir /private/tmp/srun-501
allow link /tmp/srun-501/abcdefgh/x /tmp/srun-501/abcdefgh/y
allow clone /tmp/srun-501/abcdefgh/x /tmp/srun-501/abcdefgh/y
deny  clone /tmp/srun-501/another/x /tmp/srun-501/abcdefgh/y
