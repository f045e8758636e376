/** Adds this device as a contact way: asks for permission, subscribes at the browser's push service, and sends the form. */
import { make } from "./Dom.ts"

interface DeviceProps {
  /** The form that adds the way. */
  readonly form: string
  /** The server's key, base64url. */
  readonly key: string
  readonly worker: string
}

const isDevice = (props: unknown): props is DeviceProps => props !== null && typeof props === "object" && "key" in props

const bytesOf = (key: string): Uint8Array<ArrayBuffer> => {
  const text = atob(key.replaceAll("-", "+").replaceAll("_", "/"))
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

/** A name by which a person knows the device again. */
const nameOfDevice = (): string => {
  const agent = navigator.userAgent
  const system = /iPhone|iPad|Android|Windows|Mac OS|Linux/.exec(agent)?.[0] ?? "Device"
  const browser = /Edg|Firefox|Chrome|Safari/.exec(agent)?.[0] ?? "browser"
  return `${browser === "Edg" ? "Edge" : browser} on ${system === "Mac OS" ? "Mac" : system}`
}

const words = {
  unsupported: "This browser cannot be paged. On an iPhone, add Belltower to the home screen first, and open it there.",
  denied: "Notifications of this site are blocked. Allow them in the browser's settings, then try again.",
  failed: "The browser's push service did not answer. Try again."
}

const subscribe = async ({ key, worker }: DeviceProps) => {
  const registration = await navigator.serviceWorker.register(worker, { scope: "/app" })
  const active = await navigator.serviceWorker.ready
  const before = await (registration.active === null ? active : registration).pushManager.getSubscription()
  const wanted = { userVisibleOnly: true, applicationServerKey: bytesOf(key) }
  // A subscription for another key, such as that of a server before, takes no page of this one.
  const isOurs = before !== null && sameKey(before.options.applicationServerKey, wanted.applicationServerKey)
  if (before !== null && !isOurs) await before.unsubscribe()
  return isOurs ? before : active.pushManager.subscribe(wanted)
}

const sameKey = (one: ArrayBuffer | null, other: Uint8Array): boolean =>
  one !== null && one.byteLength === other.length && new Uint8Array(one).every((byte, at) => byte === other[at])

const fill = (form: HTMLFormElement, values: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(values)) {
    const field = form.elements.namedItem(name)
    if (field instanceof HTMLInputElement) field.value = value
  }
}

export const mount = (element: HTMLElement, props: unknown): void => {
  if (!isDevice(props)) return
  const form = document.getElementById(props.form)
  if (!(form instanceof HTMLFormElement)) return
  const button = make("button", { type: "button", id: "page-this-device" }, "Page this device")
  const status = make("p", { class: "note", role: "status" })
  element.replaceChildren(button, status)
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) {
    button.remove()
    status.textContent = words.unsupported
    return
  }
  const add = async (): Promise<void> => {
    if (await Notification.requestPermission() !== "granted") {
      status.textContent = words.denied
      return
    }
    const { endpoint, keys = {} } = (await subscribe(props)).toJSON()
    fill(form, { endpoint: endpoint ?? "", p256dh: keys["p256dh"] ?? "", auth: keys["auth"] ?? "", label: nameOfDevice() })
    form.requestSubmit()
  }
  button.addEventListener("click", () => {
    status.textContent = ""
    void add().catch(() => {
      status.textContent = words.failed
    })
  })
}
