"""What happens on a cluster while nobody deploys: jobs that run and end, files that wait for S3, time."""
