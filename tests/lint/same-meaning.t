#!/bin/sh
# same-meaning: one grant means the same on Linux and on macOS.
exec sh "$(dirname "$0")/../seatbelt/same"
