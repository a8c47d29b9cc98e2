allow devwrite /dev/cu.usbserial
allow devread /dev/cu.usbserial
allow ioctl /dev/cu.usbserial
deny  devwrite /dev/cu.other
deny  ioctl /dev/cu.other
