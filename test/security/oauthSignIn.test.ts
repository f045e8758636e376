/** Sign-in with Google and GitHub, attacked: another's code, forged tokens and addresses, other places to go, and half a sign-in. */
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Provider } from "../../schema/people/Person.ts"
import { codeOf } from "../support/browser/Authenticator.ts"
import { forgetLimits, linkIn, newAddress, newVisitor, type Visitor } from "../support/browser/Visitor.ts"
import { programBaseUrl, programOf } from "../support/program/Program.ts"
import { type LocalMail, localMail } from "../support/services/LocalMail.ts"
import { type LocalProvider, localProvider } from "../support/services/LocalProvider.ts"

class Others extends Context.Tag("Others")<Others, { readonly provider: LocalProvider; readonly post: LocalMail }>() {}

const ground = Layer.unwrapScoped(Effect.gen(function*() {
  const provider = yield* localProvider
  const post = yield* localMail()
  const program = programOf({
    ...provider.environment,
    SMTP_URL: post.url,
    BELLTOWER_MAIL_FROM: "Belltower <bell@belltower.test>"
  })
  return Layer.merge(program, Layer.succeed(Others, { provider, post }))
}))

const kinds = ["google", "github"] as const
const sessionCookie = "__Host-belltower_session"

let subjects = 9000
const newAccount = (email = newAddress("oauth")) => ({ subject: String(++subjects), email, verified: true, name: "Ada" })

/** Begins a sign-in: where the provider is, and the path by which the browser comes back after consent. */
const begun = Effect.fn("begun")(function*(visitor: Visitor, begin: string) {
  const { provider } = yield* Others
  const { location } = yield* visitor.submit(begin)
  const back = (yield* provider.visit(location ?? "")).replace(programBaseUrl, "")
  return { asked: new URL(location ?? ""), back }
})

const vouched = (visitor: Visitor, kind: Provider, begin = `/auth/${kind}`) =>
  Effect.flatMap(begun(visitor, begin), ({ back }) => visitor.get(back))

const byMail = Effect.fn("byMail")(function*(email: string, visitor: Visitor) {
  const { post } = yield* Others
  yield* forgetLimits
  yield* visitor.submit("/sign-in", { email })
  return yield* visitor.submit(linkIn((yield* post.next).mail.text ?? ""))
})

layer(ground, { excludeTestServices: true, timeout: "120 seconds" })("a provider's sign-in", (it) => {
  for (const kind of kinds) {
    it.effect(`takes no code that was given to another browser (${kind})`, () =>
      Effect.gen(function*() {
        const { provider } = yield* Others
        provider.become(newAccount())
        const victim = yield* begun(yield* newVisitor, `/auth/${kind}`)
        const thief = yield* newVisitor
        const own = yield* begun(thief, `/auth/${kind}`)
        // The thief's state, so that only the code is foreign: its proof (RFC 7636) is in the victim's browser.
        const state = own.asked.searchParams.get("state") ?? ""
        const answer = yield* thief.get(victim.back.replace(/state=[^&]*/, `state=${state}`))
        expect([answer.status, thief.session()]).toEqual([403, undefined])
        // The cookie gives away neither the state nor the proof.
        const kept = [...thief.cookies.values()].join(" ")
        expect([kept.includes(state), own.asked.searchParams.get("code_challenge_method")]).toEqual([false, "S256"])
      }))

    it.effect(`leads on to nothing but pages of the service (${kind})`, () =>
      Effect.gen(function*() {
        const { provider } = yield* Others
        for (
          const next of [
            "//evil.example/app",
            "https://evil.example/",
            "/\\evil.example",
            "/.//evil.example",
            "/app/..//evil.example",
            "/\t/evil.example",
            "javascript:alert(1)",
            "/app\r\nset-cookie: a=b",
            "app",
            `${programBaseUrl}@evil.example/`
          ]
        ) {
          provider.become(newAccount())
          const { location } = yield* vouched(yield* newVisitor, kind, `/auth/${kind}?next=${encodeURIComponent(next)}`)
          expect([next, location]).toEqual([next, "/app"])
        }
      }))

    it.effect(`makes a new session, and ends the one that somebody planted in the browser (${kind})`, () =>
      Effect.gen(function*() {
        const { provider } = yield* Others
        const attacker = yield* newVisitor
        yield* byMail(newAddress("attacker"), attacker)
        const planted = attacker.session() ?? "none"
        const victim = yield* newVisitor
        victim.cookies.set(sessionCookie, planted)
        provider.become(newAccount())
        expect((yield* vouched(victim, kind)).location).toBe("/app")
        expect(victim.session()).not.toBe(planted)
        expect((yield* attacker.api("GET", "/me")).status).toBe(401)
      }))

    it.effect(`does not take a letter for another that looks like it in lower case (${kind})`, () =>
      Effect.gen(function*() {
        const { provider } = yield* Others
        const email = newAddress("kim")
        yield* byMail(email, yield* newVisitor)
        // U+212A, the Kelvin sign, is k in lower case.
        for (
          const forged of [email.replace("k", "\u212A"), `"x"${email}`, `<${email}>`, `${email},x@evil.example`]
        ) {
          provider.become(newAccount(forged))
          const thief = yield* newVisitor
          const { status } = yield* vouched(thief, kind)
          expect([forged, status, thief.session()]).toEqual([forged, 403, undefined])
        }
      }))

    it.effect(`repeats no text of the request or the provider (${kind})`, () =>
      Effect.gen(function*() {
        const visitor = yield* newVisitor
        const { asked } = yield* begun(visitor, `/auth/${kind}`)
        const query = new URLSearchParams({
          state: asked.searchParams.get("state") ?? "",
          error: "server_error",
          error_description: "<b>Call +1 555 evil</b>",
          error_uri: "https://evil.example/"
        })
        const { status, text } = yield* visitor.get(`/auth/${kind}/callback?${query}`)
        expect([status, text.includes("evil")]).toEqual([403, false])
        expect(visitor.session()).toBeUndefined()
      }))
  }

  it.effect("takes no token without a signature, of another issuer, or signed with what the client knows", () =>
    Effect.gen(function*() {
      const { provider } = yield* Others
      for (const flaw of ["unsigned", "symmetric", "issuer"] as const) {
        provider.become(newAccount())
        provider.spoil(flaw)
        const visitor = yield* newVisitor
        const { status } = yield* vouched(visitor, "google")
        provider.spoil("none")
        expect([flaw, status, visitor.session()]).toEqual([flaw, 403, undefined])
      }
    }))

  it.effect("opens nothing before the second factor, and connects nothing", () =>
    Effect.gen(function*() {
      const { provider } = yield* Others
      const account = newAccount()
      provider.become(account)
      const owner = yield* newVisitor
      yield* vouched(owner, "google")
      const { body } = yield* owner.api("POST", "/me/2fa/setup")
      expect((yield* owner.api("POST", "/me/2fa/enable", { code: yield* codeOf(body.secret) })).status).toBe(200)
      for (const kind of kinds) {
        // A first account of GitHub with this address must not be connected on the way.
        provider.become(kind === "google" ? account : newAccount(account.email))
        const thief = yield* newVisitor
        expect((yield* vouched(thief, kind, `/auth/${kind}?next=/app/monitors`)).location).toBe(
          "/auth/second-factor?next=%2Fapp%2Fmonitors"
        )
        expect((yield* thief.api("GET", "/me")).status).toBe(401)
        expect((yield* thief.api("GET", "/me/security")).status).toBe(401)
        expect((yield* thief.get("/app")).location).toMatch(/^\/sign-in/)
        provider.become(newAccount())
        const connecting = yield* thief.submit(`/app/security/identities/${kind}/connect`)
        expect([connecting.status, connecting.location?.startsWith(provider.url) ?? false]).not.toEqual([303, true])
        expect((yield* thief.submit("/auth/second-factor", { code: "000000" })).status).toBe(422)
      }
      expect((yield* owner.api("GET", "/me/security")).body.identities).toMatchObject([{ provider: "google" }])
      // Another account of Google with this address is refused as ever.
      provider.become(newAccount(account.email))
      expect((yield* vouched(yield* newVisitor, "google")).status).toBe(409)
    }))

  it.effect("is not connected by a page of another site", () =>
    Effect.gen(function*() {
      const { provider } = yield* Others
      const visitor = yield* newVisitor
      yield* byMail(newAddress(), visitor)
      const evil = { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
      for (const path of ["/auth/google", "/auth/github", "/app/security/identities/google/connect"]) {
        const { location, status } = yield* visitor.submit(path, {}, evil)
        expect([path, status, location]).toEqual([path, 403, null])
        expect((yield* visitor.get(path)).location?.startsWith(provider.url) ?? false).toBe(false)
      }
      expect([...visitor.cookies.keys()].some((name) => name.includes("errand"))).toBe(false)
    }))

  it.effect("asks the provider a hundred times at most for one network, however often an errand comes back", () =>
    Effect.gen(function*() {
      yield* forgetLimits
      const visitor = yield* newVisitor
      const { asked } = yield* begun(visitor, "/auth/github")
      const kept = [...visitor.cookies]
      const again = `/auth/github/callback?state=${asked.searchParams.get("state")}&code=guessed`
      const statuses = yield* Effect.forEach(
        Array.from({ length: 201 }),
        () => Effect.map(visitor.get(again), ({ status }) => status),
        { concurrency: 8 }
      )
      for (const [name, value] of kept) visitor.cookies.set(name, value)
      // Twice the number, because a window may end in between.
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0)
      expect(visitor.session()).toBeUndefined()
      yield* forgetLimits
    }))
})
