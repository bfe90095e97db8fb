#!/bin/sh
# Ends with the status that it is asked for.
echo "about to end with status $TOOLCLAD_ARG_STATUS"
echo "this is the error stream" >&2
exit "$TOOLCLAD_ARG_STATUS"
