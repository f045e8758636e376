/** A person is paged in their browser: it is added as a device, shows the page as a notification, and acknowledges by its button. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page, Worker } from "playwright-core"
import type { Json } from "../../support/program/TestServer.ts"
import { type Device, pushService } from "../../support/services/PushService.ts"
import { call, type Stories, story } from "../support/Story.ts"

/** Chromium without Google's services has no push service: the browser subscribes at ours instead. */
const subscribeAt = (page: Page, { auth, endpoint, p256dh }: Device) =>
  page.addInitScript((subscription) => {
    const made = { options: { applicationServerKey: null }, toJSON: () => subscription, unsubscribe: () => Promise.resolve(true) }
    const manager: Record<"getSubscription" | "subscribe", unknown> = Reflect.get(globalThis, "PushManager").prototype
    manager.getSubscription = () => Promise.resolve(null)
    Object.assign(manager, { subscribe: () => Promise.resolve(made) })
  }, { endpoint, keys: { p256dh, auth } })

/** Hands a message to the service worker, as the browser does with what its push service sends. */
const deliver = async (page: Page, data: string): Promise<void> => {
  const session = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [found] = registrations.filter(({ isDeleted, scopeURL }) => !isDeleted && new URL(scopeURL).pathname === "/app")
      if (found !== undefined) resolve(found.registrationId)
    })
  })
  await session.send("ServiceWorker.enable")
  const registrationId = await registered
  await session.send("ServiceWorker.deliverPushMessage", { origin: new URL(page.url()).origin, registrationId, data })
  await session.detach()
}

/** The notifications that the browser shows. */
const shownIn = (page: Page): Promise<Json> =>
  page.evaluate(`navigator.serviceWorker.getRegistration("/app")
    .then((registration) => registration.getNotifications())
    .then((all) => all.map(({ actions, body, title }) => ({ title, body, actions: actions.map(({ title }) => title) })))`)

/** Presses a button of the notification. Scripts cannot, so the worker gets the event that the browser would send. */
const press = (worker: Worker, action: string): Promise<void> =>
  worker.evaluate(`self.registration.getNotifications().then(([notification]) => {
    const event = new NotificationEvent("notificationclick", { notification, action: ${JSON.stringify(action)} })
    return new Promise((resolve, reject) => {
      event.waitUntil = (work) => void work.then(() => resolve(undefined), reject)
      self.dispatchEvent(event)
    })
  })`)

const waitFor = async <A>(ask: () => Promise<A> | A, fits: (answer: A) => boolean): Promise<A> => {
  const end = performance.now() + 60_000
  while (true) {
    const answer = await ask()
    if (fits(answer)) return answer
    if (performance.now() > end) throw new Error(`It stayed ${JSON.stringify(answer)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export const pushStories: Stories = (it) => {
  it.effect("adds the browser as a device, sees a page as a notification, and acknowledges by its button", () =>
    Effect.scoped(Effect.flatMap(pushService(), (service) =>
      story(async ({ open }) => {
        const watched = await open({ notifications: true })
        const { errors, page } = watched
        await page.context().grantPermissions(["notifications"])
        await subscribeAt(page, service.subscribe("browser"))
        await page.goto("/app/contact")
        const { user } = await call(watched, "GET", "/me")
        await page.getByRole("button", { name: "Page this device" }).click()
        await page.getByText("This device is paged").waitFor()
        const ways = (await call(watched, "GET", `/oncall/members/${user.id}/ways`)).data
        expect(ways.map(({ kind, usable }: Json) => [kind, usable])).toContainEqual(["push", true])
        await page.locator("#contact-ways").getByRole("button", { name: "Test" }).click()
        await page.getByText("The test was handed over").waitFor()
        expect(JSON.parse(service.seen.at(-1)?.data ?? "null").title).toBe("Test from Belltower")

        const policy = await call(watched, "POST", "/escalation-policies", {
          name: "Me",
          isDefault: true,
          levels: [{ afterMinutes: 0, targets: [{ type: "user", id: user.id }] }]
        })
        const incident = await call(watched, "POST", "/incidents", {
          title: "Slow checkout",
          message: "We look.",
          impact: "critical"
        })
        const paged = await waitFor(
          () => service.seen.map(({ data }) => data).find((data) => data.includes(incident.id)),
          (data) => data !== undefined
        )
        await deliver(page, paged ?? "")
        const [shown] = await waitFor(() => shownIn(page), (all) => all.length > 0)
        expect(shown).toEqual({
          title: "Slow checkout",
          body: expect.stringMatching(/^Since .* UTC\. You are paged about it\.$/),
          actions: ["Acknowledge", "Open"]
        })

        const worker = page.context().serviceWorkers()[0] ?? await page.context().waitForEvent("serviceworker")
        await press(worker, "acknowledge")
        const { acknowledgement } = await call(watched, "GET", `/incidents/${incident.id}`)
        expect(acknowledgement).toMatchObject({ by: user.email, via: "link" })
        const [after] = await waitFor(() => shownIn(page), ([one]) => one?.title.startsWith("Acknowledged") === true)
        expect(after.title).toBe("Acknowledged: Slow checkout")

        const log = (await call(watched, "GET", `/incidents/${incident.id}/pagings`)).data
        expect(log.find(({ by }: Json) => by === "push")).toMatchObject({ state: "handed_over", error: null, level: 1, step: 1 })
        await call(watched, "POST", `/incidents/${incident.id}/resolve`, {})
        await call(watched, "DELETE", `/escalation-policies/${policy.id}`)
        await page.goto("/app/contact")
        await page.locator("#contact-ways").getByRole("button", { name: "Delete" }).click()
        await page.getByText("Deleted").waitFor()
        expect((await call(watched, "GET", `/oncall/members/${user.id}/ways`)).data).toHaveLength(1)
        expect(errors).toEqual([])
      }))))

  it.effect("can be installed: a manifest with icons of the right size, and a worker that keeps no view", () =>
    story(async ({ open }) => {
      const { page } = await open()
      await page.goto("/app")
      const href = await page.locator("link[rel=manifest]").getAttribute("href")
      const manifest: Json = await (await page.request.get(href ?? "")).json()
      expect(manifest).toMatchObject({ name: "Belltower", start_url: "/app", display: "standalone" })
      for (const { sizes, src } of manifest.icons) {
        const size = await page.evaluate(
          `new Promise((resolve, reject) => { const image = new Image(); image.onload = () => resolve(image.naturalWidth + "x" + image.naturalHeight); image.onerror = reject; image.src = ${
            JSON.stringify(src)
          } })`
        )
        expect(size).toBe(sizes)
      }
      const worker = await page.request.get("/app/worker.js")
      expect(worker.headers()).toMatchObject({ "cache-control": "no-cache", "service-worker-allowed": "/app" })
      expect(await worker.text()).not.toContain("caches")
    }))
}
