/** A server with the part of Slack that the program uses: its Web API, its webhooks, and what it sends when a member presses a button. */
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Json } from "../program/TestServer.ts"
import { answerDelay } from "./AnswerDelay.ts"
import { withBody } from "./WithBody.ts"

export const slackApp = { token: "xoxb-token-of-the-local-app", secret: "secret-of-the-local-app" }

/** A message as Slack keeps it. */
export interface SlackPosted {
  readonly channel: string
  /** The id that the sender gave it: Slack posts it once. */
  readonly id: string | null
  content: Json
}

/** A request as Slack signs it (Verifying requests from Slack), independent of the program's own. */
export const signedBySlack = (body: string, at: number = Date.now(), secret: string = slackApp.secret) => {
  const timestamp = String(Math.floor(at / 1000))
  return {
    method: "POST",
    body,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`
    }
  }
}

/** The blocks of a message, with those of its attachments. */
export const blocksOf = ({ attachments = [], blocks = [] }: Json): ReadonlyArray<Json> => [
  ...blocks,
  ...attachments.flatMap((one: Json) => one.blocks ?? [])
]

/** The labels of the buttons of a message. */
export const buttonsOf = (content: Json): ReadonlyArray<string> =>
  blocksOf(content).filter(({ type }) => type === "actions").flatMap(({ elements }) =>
    elements.map(({ text }: Json) => text.text)
  )

/** What Slack refuses (Block Kit reference): a wrong size, or ids that are there twice. */
const blockProblem = (content: Json): string | null => {
  const blocks = blocksOf(content)
  const ids = blocks.flatMap(({ block_id: id }) => id ?? [])
  const elements = blocks.filter(({ type }) => type === "actions").map((block) => block.elements)
  return new Set(ids).size !== ids.length || ids.some((id) => id.length > 255)
    ? "block_id"
    : elements.some((list) =>
        list.length === 0 || list.length > 25 || new Set(list.map((one: Json) => one.action_id)).size !== list.length
      )
    ? "elements"
    : elements.flat().some(({ text, value = "" }: Json) => text.text.length > 75 || value.length > 2000)
    ? "button"
    : null
}

/** Runs until the scope closes. */
export const localSlack = Effect.gen(function*() {
  const posted: Array<SlackPosted> = []
  const whispers: Array<string> = []
  const members = new Map<string, string>()
  const refusals = new Map<string, string>()
  const asked: Array<{ readonly method: string; readonly authorization: string }> = []
  const delay = answerDelay()

  const post = (content: Json, channel: string): Json => {
    const refusal = refusals.get(channel) ?? (blockProblem(content) === null ? null : "invalid_blocks")
    if (refusal !== null) return { ok: false, error: refusal }
    const { client_msg_id: id = null } = content
    const known = id === null ? -1 : posted.findIndex((one) => one.id === id)
    if (known < 0) posted.push({ channel, content, id })
    return { ok: true, channel, ts: String(known < 0 ? posted.length : known + 1) }
  }

  const webApi = (method: string, authorization: string, body: string): Json => {
    asked.push({ method, authorization })
    if (authorization !== `Bearer ${slackApp.token}`) return { ok: false, error: "invalid_auth" }
    if (method === "chat.postMessage") return post(JSON.parse(body), JSON.parse(body).channel)
    const id = members.get(new URLSearchParams(body).get("email") ?? "")
    return id === undefined ? { ok: false, error: "users_not_found" } : { ok: true, user: { id } }
  }

  const respond = (number: number, { text, replace_original: replaces, response_type: kind, ...content }: Json): string => {
    const message = posted[number]
    if (message === undefined) return "expired_url"
    if (kind === "ephemeral") whispers.push(text)
    else if (replaces === true && blockProblem(content) === null) message.content = { text, ...content }
    else return "invalid_blocks"
    return "ok"
  }

  const answer = (path: string, authorization: string, body: string, response: ServerResponse): void => {
    const [, area = "", rest = ""] = path.split("/")
    const json = (content: Json) =>
      delay.then(() => void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(content)))
    if (area === "api") return json(webApi(rest, authorization, body))
    if (area === "hook") return void response.writeHead(post(JSON.parse(body), "hook").ok === true ? 200 : 400).end("ok")
    const said = area === "respond" ? respond(Number(rest), JSON.parse(body)) : "unknown"
    response.writeHead(said === "ok" ? 200 : 404).end(said)
  }

  const server = yield* Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((request, response) =>
        withBody(request, (body) => answer(request.url ?? "", request.headers.authorization ?? "", body, response))
      )
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        made.closeAllConnections()
        made.close()
      })
  )
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    api: `${base}/api`,
    hook: `${base}/hook/T1/B1/secret-of-the-webhook`,
    posted,
    whispers,
    wait: delay.wait,
    members,
    /** Errors by channel or member. */
    refusals,
    asked,
    /** The form of a press of the button with this label. */
    press: (number: number, label: string, member: string): string => {
      const { channel, content } = posted[number] ?? { channel: "", content: {} }
      const [button] = blocksOf(content).flatMap(({ elements = [] }) => elements).filter(({ text }: Json) => text.text === label)
      const payload = {
        type: "block_actions",
        user: { id: member, username: "somebody" },
        team: { id: "T1" },
        channel: { id: channel },
        actions: [{ type: "button", ...button }],
        message: content,
        response_url: `${base}/respond/${number}`
      }
      return new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
    }
  }
})
export type LocalSlack = Effect.Effect.Success<typeof localSlack>
