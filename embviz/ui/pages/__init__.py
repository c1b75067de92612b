"""What each page needs beyond its story in `pages/`."""
