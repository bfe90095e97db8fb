"""The wordings of the held-out half: whoever writes rules reads neither these nor their set."""
