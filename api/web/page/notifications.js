// The service worker behind notifications on phones: a tap on one leads to its room on the live page.
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data?.environment));
});

/** @param environment id of the room; undefined: the notification is about none */
async function show(environment) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  // Other pages of the service, such as its documentation, are not the live page.
  const page = windows.find(({ url }) => new URL(url).pathname === '/');
  if (page) {
    page.postMessage({ environment });
    await page.focus();
  } else {
    await self.clients.openWindow(environment ? `/?environment=${encodeURIComponent(environment)}` : '/');
  }
}
