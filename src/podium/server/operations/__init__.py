"""What whoever runs a service needs: settings, logs, metrics, health."""
