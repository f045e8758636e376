/**
 * Keeps a view current: follows the workspace's live stream, and reads the view again when an event that concerns it happens, at
 * most once a second. What the reader has opened, typed or focused stays.
 */
import { Idiomorph } from "idiomorph"
import { showCopyButtons } from "./Copies.ts"
import { addressChanged, announce, make, propsChanged } from "./Dom.ts"
import { mountIslands } from "./Islands.ts"
import { showTimes } from "./Times.ts"

type State = "live" | "reconnecting" | "stale" | "ended"

const words: Readonly<Record<State, string>> = {
  live: "Live",
  reconnecting: "Reconnecting…",
  stale: "Not live",
  ended: "Signed out"
}

const showState = (state: State): void => {
  for (const element of document.querySelectorAll<HTMLElement>(".live")) {
    element.hidden = false
    element.dataset["state"] = state
    const text = element.querySelector("span")
    if (text !== null) text.textContent = words[state]
  }
}

/** `monitor.*:mon_1` means only events that name mon_1. */
const concerns = (topics: ReadonlyArray<string>, type: string, text: string): boolean =>
  topics.some((topic) => {
    const [types = "", about = ""] = topic.split(":")
    const isType = types === "*" || types === type || (types.endsWith(".*") && type.startsWith(types.slice(0, -1)))
    return isType && text.includes(about)
  })

/** Elements that a live update leaves alone: islands at work, forms with something typed, dialogs. */
const isKept = (node: Node): boolean =>
  node instanceof Element &&
  (node.matches("form[data-dirty],form[data-kept],form[aria-busy],dialog[open]") ||
    (node.matches("[data-keep]") && node.matches("[data-mounted]")))

const handOver = (before: HTMLElement, { dataset: { props } }: HTMLElement): void => {
  if (before.dataset["keep"] !== "props" || props === undefined || before.dataset["props"] === props) return
  before.dataset["props"] = props
  before.dispatchEvent(new Event(propsChanged))
}

/** A form's answer stays until the reader goes on: the view itself does not have it. */
const isAnswer = (node: Node): boolean => node instanceof Element && node.matches("[data-answer]")

const isOpenDetails = (node: Node): node is HTMLDetailsElement => node instanceof HTMLDetailsElement

/** Gives the view its new content. The notice of the last form stays, with its undo, until the reader goes on. */
export const morph = (main: Element, fresh: Element): void => {
  const notice = main.querySelector(":scope > .notice:not(.is-ended)")
  if (notice !== null && fresh.querySelector(":scope > .notice") === null) fresh.prepend(notice.cloneNode(true))
  // The children: an element would be taken for the only child.
  Idiomorph.morph(main, [...fresh.childNodes], {
    morphStyle: "innerHTML",
    ignoreActiveValue: true,
    restoreFocus: true,
    callbacks: {
      beforeNodeRemoved: (node: Node) => !isAnswer(node),
      beforeNodeMorphed: (before: Node, after: Node) => {
        if (before instanceof HTMLElement && after instanceof HTMLElement) handOver(before, after)
        if (isKept(before)) return false
        if (isOpenDetails(before) && isOpenDetails(after)) after.open = before.open
        if (before instanceof HTMLElement && after instanceof HTMLElement && "mounted" in before.dataset) {
          // An island whose data changed is mounted again.
          if (before.dataset["props"] === after.dataset["props"]) return false
        }
        return true
      }
    }
  })
}

/** The view stays to be read, and a form in it can be sent: without a session it is kept until the next sign-in. */
const tellEnded = (main: Element, why: string, href: string, next: string): void => {
  if (document.getElementById("ended") !== null) return
  main.prepend(make(
    "div",
    { class: "notice is-ended", id: "ended", role: "alert" },
    `${why}, and what you see is no longer current.`,
    make("a", { href }, next)
  ))
}

/** The longest time that a read of a view takes; on a connection that was cut, it would wait for ever. Milliseconds. */
const readFor = 30_000

/** Reads the view again. Answers `live` if the view is now current. */
export const readView = async (): Promise<State> => {
  const main = document.getElementById("content")
  if (main === null || document.hidden) return "stale"
  const { href } = location
  const response = await fetch(href, { headers: { accept: "text/html" }, signal: AbortSignal.timeout(readFor) }).catch(() => null)
  if (response === null || !response.ok) return "stale"
  if (new URL(response.url).pathname === "/sign-in") {
    const next = encodeURIComponent(`${location.pathname}${location.search}`)
    tellEnded(main, "You are signed out", `/sign-in?next=${next}`, "Sign in again")
    return "ended"
  }
  // A later address is being read.
  if (href !== location.href) return "live"
  const next = new DOMParser().parseFromString(await response.text(), "text/html")
  const fresh = next.getElementById("content")
  if (fresh === null) return "stale"
  if (fresh.dataset["workspace"] !== main.dataset["workspace"]) {
    tellEnded(main, "Your session is in another workspace now", href, "Reload")
    return "stale"
  }
  const heading = main.querySelector(".banner h2")?.textContent
  morph(main, fresh)
  document.title = next.title
  showTimes()
  showCopyButtons()
  mountIslands(main)
  const said = main.querySelector(".banner h2")?.textContent
  if (said !== undefined && said !== null && said !== heading) announce(said)
  return "live"
}

/** Shows the view at another address in its place: a list with another filter. */
export const showAddress = async (address: string): Promise<void> => {
  if (address === `${location.pathname}${location.search}`) return
  history.replaceState(null, "", address)
  dispatchEvent(new Event(addressChanged))
  if (await readView() === "live") announce(document.querySelector("[data-found],main .empty h2")?.textContent ?? "")
}

/** Views of a process without events are read again at their own interval, in milliseconds. */
const followProgress = (): void => {
  const every = Number(document.querySelector<HTMLElement>("[data-poll]")?.dataset["poll"])
  if (every > 0) setTimeout(() => void readView().then(followProgress), every)
}

/** The wait before a failed read of a view is repeated, milliseconds. */
const readAgain = 10_000

/** The server pings every 15 s. After a longer silence, milliseconds, the connection counts as cut, which no error may report. */
const silence = 40_000

/** A stream of events that fails when nothing arrives any more. */
const openStream = (): EventSource => {
  const opened = new EventSource("/api/v1/stream?pings=1")
  let timer = 0
  const cut = () => {
    if (opened.readyState === EventSource.CLOSED) return
    opened.close()
    opened.dispatchEvent(new Event("error"))
  }
  const heard = () => {
    clearTimeout(timer)
    timer = window.setTimeout(cut, silence)
  }
  heard()
  for (const type of ["open", "message", "ping"]) opened.addEventListener(type, heard)
  return opened
}

export const followEvents = (): void => {
  followProgress()
  const topics = (document.getElementById("content")?.dataset["live"] ?? "").split(" ").filter((topic) => topic !== "")
  if (topics.length === 0) return
  let stream: EventSource | null = null
  let timer = 0
  let due = Infinity
  let lastRead = Date.now()
  // The result of the last read; the view that the server sent is current.
  let shown: State = "live"
  const show = () => {
    showState(stream?.readyState === EventSource.OPEN || shown === "ended" ? shown : "reconnecting")
  }
  /** The earliest of several requests counts. */
  const later = (wait = 150) => {
    const at = Math.max(Date.now() + wait, lastRead + 1000)
    if (at >= due) return
    clearTimeout(timer)
    due = at
    timer = window.setTimeout(() => {
      due = Infinity
      lastRead = Date.now()
      void readView().then((state) => {
        shown = state
        show()
        if (state === "stale" && stream !== null) later(readAgain)
      })
    }, at - Date.now())
  }
  const follow = () => {
    if (document.hidden) {
      stream?.close()
      stream = null
      show()
      return
    }
    if (stream !== null) return
    const opened = openStream()
    stream = opened
    opened.onopen = () => {
      // Something may have happened since the view was read, or while the stream was away.
      later()
      show()
    }
    opened.onmessage = ({ data }) => {
      const event: { readonly type?: string } = JSON.parse(String(data))
      if (concerns(topics, event.type ?? "", String(data))) later()
    }
    opened.onerror = () => {
      show()
      // The browser tries again by itself unless the server refused.
      if (opened.readyState !== EventSource.CLOSED) return
      stream = null
      // The session may have ended; reading the view shows it.
      later()
      setTimeout(follow, 5000)
    }
  }
  follow()
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) later()
    follow()
  })
  addEventListener("online", follow)
}
