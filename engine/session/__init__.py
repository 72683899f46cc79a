"""The facade that the window and the command line share."""
