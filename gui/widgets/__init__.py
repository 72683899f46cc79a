"""Small building blocks that several docks and dialogs share."""
