/** A browser without a screen: keeps cookies, submits forms from the service's own origin, follows no redirects. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { programBaseUrl } from "../program/Program.ts"
import type { Json } from "../program/TestServer.ts"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Of a document without the marks of where long words may break. */
  readonly text: string
  /** The text with its markup. */
  readonly marked: string
  /** The redirect target, as a path of the service. */
  readonly location: string | null
}

/** The markup that views add to texts (TextMarkup.ts), so that a test can look for a text as it is. */
const breaks = /<\/?bdi(?: class="long")?>|<wbr\/?>/g

const sameOrigin = { origin: programBaseUrl, "sec-fetch-site": "same-origin" }

export const newVisitor = Effect.map(ServerAddress, ({ host, port }) => {
  const cookies = new Map<string, string>()

  const send = (method: string, path: string, body: string | null, headers: Record<string, string>) =>
    Effect.promise(async (signal): Promise<Answer> => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      const response = await fetch(`http://${host}:${port}${path}`, {
        method,
        body,
        signal,
        redirect: "manual",
        headers: { ...(cookie === "" ? {} : { cookie }), ...headers }
      })
      for (const line of response.headers.getSetCookie()) {
        const [pair = ""] = line.split(";")
        const [name = "", value = ""] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]
        if (/max-age=0/i.test(line)) cookies.delete(name)
        else cookies.set(name, value)
      }
      const location = response.headers.get("location")
      const marked = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        text: marked.replace(breaks, ""),
        marked,
        location: location?.replace(programBaseUrl, "") ?? null
      }
    })

  const form = "application/x-www-form-urlencoded"

  return {
    cookies,
    session: () => cookies.get("__Host-belltower_session"),
    get: (path: string, headers: Record<string, string> = {}) => send("GET", path, null, headers),
    /** Submits a form, from a page of the service unless `headers` override it. */
    submit: (
      path: string,
      fields: Record<string, string> | Array<[string, string]> | string = {},
      headers: Record<string, string> = sameOrigin
    ) => send("POST", path, new URLSearchParams(fields).toString(), { "content-type": form, ...headers }),
    /** Calls the interface. */
    api: (method: string, path: string, body?: unknown, headers: Record<string, string> = sameOrigin) =>
      Effect.map(
        send(method, `/api/v1${path}`, body === undefined ? null : JSON.stringify(body), {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        }),
        (answer) => {
          const json: Json = JSON.parse(answer.text)
          return { ...answer, body: json }
        }
      )
  }
})
export type Visitor = Effect.Effect.Success<typeof newVisitor>

/** All tests share one IP address; its limits are tested separately. */
export const forgetLimits = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from rate_limits`)

export const linkIn = (text: string): string => /\/auth\/link\/[0-9A-Za-z]{40}/.exec(text)?.[0] ?? "no link"

let people = 0
/** An unused email address. */
export const newAddress = (name = "ada"): string => `${name}${++people}.${Math.random().toString(36).slice(2)}@example.com`

/** An agent's new workspace: the path of its claim, and its key. */
export const bootstrapped = Effect.gen(function*() {
  yield* forgetLimits
  const agent = yield* newVisitor
  const { body } = yield* agent.api("POST", "/agent/bootstrap", { agentName: "scout", workspaceName: "Acme" })
  return { claim: String(body.claimUrl).replace(programBaseUrl, ""), key: String(body.apiKey), id: String(body.workspace.id) }
})

/** A person who has claimed a workspace, on a server without a mail server. */
export const newOwner = Effect.fn("newOwner")(function*(email: string = newAddress()) {
  const workspace = yield* bootstrapped
  const visitor = yield* newVisitor
  const shown = yield* visitor.submit(`${workspace.claim}/email`, { email })
  yield* visitor.submit(linkIn(shown.text))
  yield* visitor.submit(workspace.claim)
  return { ...workspace, email, visitor }
})
