"""The wordings of the development half: those who write rules may read them."""
