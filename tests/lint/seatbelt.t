#!/bin/sh
# seatbelt: the profiles for macOS, judged by a model of their language.
exec "$(dirname "$0")/../seatbelt/check"
