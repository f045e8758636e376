/** Settings for mail and sign-in providers: complete or rejected, with a message that reveals no secret. */
import { expect, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { readSettings } from "../src/Settings.ts"

const refusal = (environment: Record<string, string>) =>
  Effect.map(Effect.flip(readSettings("all", environment)), ({ message }) => message)

it.effect("a mail server is an smtp URL, and its password is never shown", () =>
  Effect.gen(function*() {
    const { mailFrom, smtpUrl } = yield* readSettings("all", {
      SMTP_URL: "smtps://user:hunter22@mail.example.com",
      BELLTOWER_MAIL_FROM: "Belltower <bell@example.com>"
    })
    expect(Option.map(smtpUrl, Redacted.value)).toEqual(Option.some("smtps://user:hunter22@mail.example.com"))
    expect([String(smtpUrl).includes("hunter22"), JSON.stringify(smtpUrl).includes("hunter22")]).toEqual([false, false])
    expect(mailFrom).toEqual(Option.some("Belltower <bell@example.com>"))
    const wrong = yield* refusal({ SMTP_URL: "http://user:hunter22@mail.example.com" })
    expect([wrong, wrong.includes("hunter22")]).toEqual(["SMTP_URL must be a URL that begins with smtp:// or smtps://", false])
    for (const from of ["Belltower", "a@b@c", "A <a@b>\r\nBcc: eve@evil.test", "A <a@b>, B <c@d>"]) {
      expect(yield* refusal({ BELLTOWER_MAIL_FROM: from })).toContain("BELLTOWER_MAIL_FROM must be an address")
    }
  }))

it.effect("a Google or GitHub client needs an id and a secret", () =>
  Effect.gen(function*() {
    const none = yield* readSettings("all", {})
    expect([Option.isNone(none.google), Option.isNone(none.github), none.googleIssuer, none.githubUrl])
      .toEqual([true, true, "https://accounts.google.com", "https://github.com"])
    expect(yield* refusal({ BELLTOWER_GOOGLE_CLIENT_ID: "x" })).toContain("BELLTOWER_GOOGLE_CLIENT_SECRET is also required")
    const half = yield* refusal({ BELLTOWER_GITHUB_CLIENT_SECRET: "hunter22" })
    expect([half.includes("BELLTOWER_GITHUB_CLIENT_ID is also required"), half.includes("hunter22")]).toEqual([true, false])
  }))

it.effect("what a probe does at once, and for whom, has bounds", () =>
  Effect.gen(function*() {
    expect((yield* readSettings("all", {})).probeLimits).toEqual({ concurrency: 4000, workspacePercent: 50, hostRate: 50 })
    const names = ["BELLTOWER_PROBE_CONCURRENCY", "BELLTOWER_PROBE_WORKSPACE_PERCENT", "BELLTOWER_PROBE_HOST_RATE"]
    const given = Object.fromEntries(names.map((name, index) => [name, String(100 - index)]))
    expect((yield* readSettings("all", given)).probeLimits).toEqual({ concurrency: 100, workspacePercent: 99, hostRate: 98 })
    for (const [index, wrong] of ["3", "0", "-1"].entries()) {
      expect(yield* refusal({ [names[index]!]: wrong })).toContain(`${names[index]} must be a whole number from`)
    }
  }))

it.effect("caps are changed one by one, and a wrong one is named", () =>
  Effect.gen(function*() {
    const { caps } = yield* readSettings("all", { BELLTOWER_CAPS: "channels=7, unclaimed.monitors=9" })
    expect([caps.channels.most, caps.monitors.unclaimed, caps.pages.most]).toEqual([7, 9, 200])
    expect(yield* refusal({ BELLTOWER_CAPS: "monitor=7" })).toContain("BELLTOWER_CAPS is not valid: \"monitor=7\"")
  }))
