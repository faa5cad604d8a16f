// The service worker behind notifications on phones: a tap on one leads to the live page.
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(
    self.clients
      .matchAll({ type: 'window', includeUncontrolled: true })
      .then(([page]) => (page ? page.focus() : self.clients.openWindow('/'))),
  );
});
