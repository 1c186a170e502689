"""What an account says of a profile before anything is deployed: questions, and what the answers mean."""
