"""Makes the labelled content sets: `item` and the two folders of wordings; see ../README.md."""
