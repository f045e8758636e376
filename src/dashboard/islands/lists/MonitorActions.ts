/** Actions of the command palette on a monitor: the operations of the API, as the person of the session. */
import type { offered } from "../../frame/Sections.ts"
import { announce, callApi, make } from "../Dom.ts"
import { readView } from "../Live.ts"

interface Action {
  /** "Pause" in front of a monitor's name. */
  readonly name: string
  readonly done: string
  readonly operation: (typeof offered)[number]
  readonly call: (id: string) => readonly [method: "POST" | "PATCH", path: string, body: object]
}

export const monitorActions: Readonly<Record<string, Action>> = {
  pause: {
    name: "Pause",
    done: "paused",
    operation: "update_monitor",
    call: (id) => ["PATCH", `/monitors/${id}`, { paused: true }]
  },
  resume: {
    name: "Resume",
    done: "resumed",
    operation: "update_monitor",
    call: (id) => ["PATCH", `/monitors/${id}`, { paused: false }]
  },
  check: {
    name: "Check now",
    done: "checked",
    operation: "run_check",
    call: (id) => ["POST", `/monitors/${id}/check`, { apply: true }]
  },
  mute: {
    name: "Mute for an hour",
    done: "muted for an hour",
    operation: "create_mute",
    call: (id) => ["POST", "/mutes", { monitorIds: [id], durationSec: 3600 }]
  }
}

/** Says the result where notices stand. */
const tell = (text: string, tone: "" | "is-bad"): void => {
  document.getElementById("notice")?.remove()
  document.getElementById("content")?.prepend(make("div", { class: `notice ${tone}`, id: "notice" }, text))
  announce(text)
}

const messageOf = (answer: unknown): string =>
  typeof answer === "object" && answer !== null && "error" in answer && typeof answer.error === "object" &&
    answer.error !== null &&
    "message" in answer.error
    ? String(answer.error.message)
    : "That did not work. Try again."

export const runAction = async (action: Action, id: string, name: string): Promise<void> => {
  const [method, path, body] = action.call(encodeURIComponent(id))
  tell(`${name}: working…`, "")
  const headers = { "content-type": "application/json" }
  const response = await callApi(path, { method, headers, body: JSON.stringify(body) }).catch(() => null)
  if (response === null) return tell("The server does not answer. Try again.", "is-bad")
  if (!response.ok) return tell(messageOf(await response.json().catch(() => null)), "is-bad")
  tell(`${name} ${action.done}`, "")
  await readView()
}
