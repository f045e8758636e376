/** An app that connects over OAuth with the official SDK's client, and a person with a browser who decides. */
import { auth, type OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthClientInformationMixed, OAuthClientMetadata, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { Effect } from "effect"
import { attributeOf, controlTags, fieldOf, filledIn, type FoundForm } from "../../support/browser/FormIn.ts"
import type { Json } from "./Client.ts"
import { linkOf, openedBy } from "./OpenedBy.ts"
import { freshProgram, runProgram } from "./Program.ts"
import { toolsOver } from "./ToolsOver.ts"

export const callback = "http://127.0.0.1:33418/callback"

/** What the app keeps: the SDK asks for it, and gives what is new. */
export class AppMemory implements OAuthClientProvider {
  information: OAuthClientInformationMixed | undefined
  given: OAuthTokens | undefined
  verifier = ""
  sentTo: URL | undefined
  readonly redirectUrl = callback
  readonly clientMetadata: OAuthClientMetadata

  constructor(name: string) {
    this.clientMetadata = { client_name: name, redirect_uris: [callback], token_endpoint_auth_method: "none" }
  }
  state(): string {
    return "state-of-the-app"
  }
  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.information
  }
  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.information = information
  }
  tokens(): OAuthTokens | undefined {
    return this.given
  }
  saveTokens(tokens: OAuthTokens): void {
    this.given = tokens
  }
  redirectToAuthorization(url: URL): void {
    this.sentTo = url
  }
  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier
  }
  codeVerifier(): string {
    return this.verifier
  }
  invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    if (scope === "all" || scope === "tokens") this.given = undefined
    if (scope === "all" || scope === "client") this.information = undefined
  }
}

/** Runs the SDK's flow: to the redirect without a code, to the tokens with one. */
export const signInWith = (memory: AppMemory, baseUrl: string, authorizationCode?: string) =>
  Effect.promise(() =>
    auth(memory, { serverUrl: `${baseUrl}/mcp`, ...(authorizationCode === undefined ? {} : { authorizationCode }) })
  )

/** A client of MCP that acts for the app. */
export const connected = Effect.fn("connected")(
  function*(memory: AppMemory, baseUrl: string, headers: Record<string, string> = {}) {
    const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), {
      authProvider: memory,
      requestInit: { headers }
    })
    return yield* toolsOver(transport)
  }
)

export interface Shown {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  readonly location: string | null
}

/** A browser without scripts, signed in by a cookie. */
export const browserWith = (baseUrl: string, cookie: string) => {
  const ask = (path: string, init: RequestInit = {}) =>
    Effect.promise(async (): Promise<Shown> => {
      const response = await fetch(new URL(path, baseUrl), {
        redirect: "manual",
        ...init,
        headers: { ...(cookie === "" ? {} : { cookie }), ...Object.fromEntries(new Headers(init.headers).entries()) }
      })
      return {
        status: response.status,
        text: await response.text(),
        headers: response.headers,
        location: response.headers.get("location")
      }
    })
  const post = (path: string, body: string, site = "same-origin") =>
    ask(path, {
      method: "POST",
      body,
      headers: { "content-type": "application/x-www-form-urlencoded", origin: baseUrl, "sec-fetch-site": site }
    })
  return { get: ask, post }
}

/** The form of a page that posts to an address. */
const formTo = (html: string, action: string): FoundForm => {
  for (const [, tag = "", inner = ""] of html.matchAll(/(<form[^>]*>)([\s\S]*?)<\/form>/g)) {
    if (attributeOf(tag, "action") === action) return { action, fields: (inner.match(controlTags) ?? []).flatMap(fieldOf) }
  }
  return { action, fields: [] }
}

/** The person follows the app's link, and sends the form with changes. Where they return to. */
export const decided = Effect.fn("decided")(function*(
  browser: ReturnType<typeof browserWith>,
  sentTo: URL | undefined,
  changes: Readonly<Record<string, string | ReadonlyArray<string> | null>> = {}
) {
  const begun = yield* browser.get(sentTo === undefined ? "/" : `${sentTo.pathname}${sentTo.search}`)
  const path = begun.location ?? "/"
  const page = yield* browser.get(path)
  const answer = yield* browser.post(path, filledIn(formTo(page.text, path), { decision: "allow", ...changes }))
  return { page, answer, path, returned: answer.location === null ? null : new URL(answer.location) }
})

/** A program, and a person with a workspace who is signed in. */
export const signedInProgram = Effect.gen(function*() {
  const program = yield* freshProgram()
  const link = linkOf(program.stdout())
  // Its public address: apps compare what they find there with the address that they were given.
  const baseUrl = new URL(link).origin
  const { cookie } = yield* Effect.promise(() => openedBy(link))
  const browser = browserWith(baseUrl, cookie)
  const api = (path: string, init: RequestInit = {}) =>
    Effect.map(browser.get(`/api/v1${path}`, init), ({ status, text }) => ({ status, body: JSON.parse(text) as Json }))
  const postForm = (path: string, fields: Readonly<Record<string, string>>) =>
    Effect.map(
      browserWith(baseUrl, "").get(path, {
        method: "POST",
        body: new URLSearchParams(fields).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded" }
      }),
      ({ headers, status, text }) => ({ status, headers, body: text === "" ? null : JSON.parse(text) as Json })
    )
  /** The browser of somebody whom the operator gives a link to. */
  const newPerson = Effect.fn("newPerson")(function*(email: string) {
    const env = { BELLTOWER_URL: baseUrl }
    const { stdout } = yield* runProgram({ folder: program.folder, args: ["sign-in-link", email], env })
    const opened = yield* Effect.promise(() => openedBy(stdout.trim()))
    return browserWith(baseUrl, opened.cookie)
  })
  return { baseUrl, browser, api, postForm, newPerson }
})
