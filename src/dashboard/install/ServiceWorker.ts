/**
 * The service worker of the installed dashboard, as the text that browsers load: it shows pages as notifications and answers their
 * buttons. It keeps no view: what is on the screen comes from the server, or says that there is no connection.
 */

const offline = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>No connection · Belltower</title><body style="font:1rem system-ui;padding:2rem"><h1>No connection</h1>` +
  `<p>Belltower cannot be reached from this device. Pages still arrive as notifications once it is online.</p>` +
  `<p><a href="">Try again</a></p></body></html>`

export const serviceWorker = `"use strict"
self.addEventListener("install", () => self.skipWaiting())
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()))

const offline = ${JSON.stringify(offline)}
self.addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate" || event.request.method !== "GET") return
  event.respondWith(fetch(event.request).catch(() =>
    new Response(offline, { status: 503, headers: { "content-type": "text/html; charset=utf-8" } })))
})

const show = (title, options) =>
  self.registration.showNotification(title, { icon: "/app/icon-192.png", badge: "/app/icon-192.png", ...options })

self.addEventListener("push", (event) => {
  const page = event.data === null ? {} : event.data.json()
  const isPage = page.kind === "page"
  event.waitUntil(show(page.title || "Belltower", {
    body: page.body || "",
    tag: page.tag || undefined,
    renotify: Boolean(page.tag),
    requireInteraction: isPage,
    timestamp: page.at ? Date.parse(page.at) : undefined,
    data: page,
    actions: isPage ? [{ action: "acknowledge", title: "Acknowledge" }, { action: "open", title: "Open" }] : []
  }))
})

const open = (url) =>
  self.clients.matchAll({ type: "window", includeUncontrolled: true }).then((windows) => {
    const shown = windows.find((one) => one.url === url)
    return shown ? shown.focus() : self.clients.openWindow(url)
  })

const acknowledge = (page) =>
  fetch(page.acknowledge, { method: "POST", credentials: "omit" })
    .then((answer) => {
      if (!answer.ok) throw new Error(String(answer.status))
      return show("Acknowledged: " + page.title, {
        body: "Escalation has stopped. Open the incident.",
        tag: page.tag,
        data: { ...page, kind: "acknowledged" }
      })
    })
    // The page with the button says what is wrong, and works without the worker.
    .catch(() => open(page.acknowledge))

self.addEventListener("notificationclick", (event) => {
  const page = event.notification.data || {}
  event.notification.close()
  event.waitUntil(event.action === "acknowledge" ? acknowledge(page) : open(page.url || "/app"))
})
`
