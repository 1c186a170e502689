"""What a plan tells, a module for each part of it: a report in, parts of the document out."""
