"""What all plots share: a themed chart on pyqtgraph's scene, layers painted in pixels, export, navigation."""
