//! gatepost: a filesystem mailbox with a gate.
