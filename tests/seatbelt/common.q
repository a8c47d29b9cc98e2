# True of every grant.
# processes: all of this run, nothing of the others
allow fork
allow signal same-sandbox
allow signal self
deny  signal others
allow pidinfo same-sandbox
allow pidinfo self
deny  pidinfo others
# Hole: the environment of every process of the user (srt#160, nono#1821).
deny  procargs others
allow procargs same-sandbox,children
allow op process-info-listpids
allow taskport same-sandbox
deny  taskport others
deny  lsopen
deny  appleevent com.apple.finder
deny  op job-creation
deny  op nvram-get
deny  op nvram-set
deny  machreg x
# processors are counted (openai/codex#11210), ports of the host are not replaced
allow op mach-host*
deny  op mach-host-exception-port-set
deny  op mach-host-special-port-set
# sysctl: all names (openai/codex#22405: SC_SEM_NSEMS_MAX)
allow sysctl hw.ncpu
allow sysctl kern.sysv.semmns
allow sysctl kern.sysv.semmni
allow sysctl kern.argmax
deny  sysctl kern.procargs2.1
allow sysctlw kern.grade_cputype
allow sysctlw kern.tcsm_enable
deny  sysctlw kern.hostname
# services: getpwuid (openai/codex#3334) and the others, never the keychain or what starts programs
allow mach com.apple.system.opendirectoryd.libinfo
allow mach com.apple.system.opendirectoryd.membership
allow mach com.apple.bsd.dirhelper
allow mach com.apple.system.notification_center
allow mach com.apple.logd
allow mach com.apple.system.logger
allow mach com.apple.diagnosticd
allow mach com.apple.SystemConfiguration.configd
allow mach com.apple.SystemConfiguration.DNSConfiguration
allow mach com.apple.PowerManagement.control
allow mach com.apple.FSEvents
allow mach com.apple.CoreServices.coreservicesd
allow mach com.apple.lsd.mapdb
allow mach srun.8f3a
deny  mach srun.9999
deny  mach com.apple.trustd
deny  mach com.apple.SecurityServer
deny  mach com.apple.securityd.xpc
deny  mach com.apple.secd
deny  mach com.apple.pasteboard.1
deny  mach com.apple.windowserver.active
# Hole: lsopen and launchservicesd start programs outside (agent-safehouse#181).
deny  mach com.apple.coreservices.launchservicesd
deny  mach com.apple.coreservices.appleevents
deny  mach com.apple.cfprefsd.agent
allow sem /mp-1
allow shm /psm_1
allow sysvsem
allow iokit RootDomainUserClient
deny  iokit IOHIDLibUserClient
allow socket AF_SYSTEM 2
deny  socket AF_SYSTEM 1
deny  socket AF_NDRV
# terminals: new ones (openai/codex#7580), never those of others, no typing into any
allow pty
allow ownpty /dev/ttys009
allow op file-ioctl /dev/dtracehelper
deny  ioctl /dev/ttys004
deny  devread /dev/ttys004
deny  devwrite /dev/ttys004
deny  tiocsti /dev/ptmx
allow devwrite /dev/null
allow devread /dev/null
allow devread /dev/urandom
allow devwrite /dev/zero
allow devwrite /dev/dtracehelper
allow devwrite /dev/stdout
allow devwrite /dev/stderr
allow devwrite /dev/fd/1
deny  devwrite /dev/disk0
allow readdir /
allow op file-map-executable /usr/lib/x.dylib
# caches with one place
allow create /private/var/folders/x/y/T/xcrun_db-Ab12
allow create /private/var/folders/x/y/C/clang/ModuleCache/a.pcm
# the bit that makes a program somebody else's (the kernel has no rule that could open it here)
deny  setuid /Users/a/p/x
