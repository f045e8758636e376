/** Unknown variables: each is reported with the closest setting. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { unknownSettings } from "../../src/settings/UnknownSettings.ts"

it.effect("a misspelt variable is reported with the closest setting", () =>
  Effect.gen(function*() {
    expect(yield* unknownSettings({ BELLTOWER_ALOW_TARGETS: "10.0.0.0/8", BELLTOWER_TRUSTPROXY: "1" })).toEqual([
      "BELLTOWER_ALOW_TARGETS is unknown; did you mean BELLTOWER_ALLOW_TARGETS?",
      "BELLTOWER_TRUSTPROXY is unknown; did you mean BELLTOWER_TRUST_PROXY?"
    ])
  }))

it.effect("a setting with a wrong prefix is found too", () =>
  Effect.gen(function*() {
    expect(yield* unknownSettings({ BELLTOWER_PORT: "80", BELLTOWER_SMTP_URL: "smtp://mail.example.com" })).toEqual([
      "BELLTOWER_PORT is unknown; did you mean PORT?",
      "BELLTOWER_SMTP_URL is unknown; did you mean SMTP_URL?"
    ])
  }))

it.effect("a variable that resembles no setting is reported with a pointer to the list of settings", () =>
  Effect.gen(function*() {
    expect(yield* unknownSettings({ BELLTOWER_QUUX_ZYZZY: "1" })).toEqual([
      "BELLTOWER_QUUX_ZYZZY is unknown; docs/operations.md lists the settings"
    ])
  }))

it.effect("settings, variables of other programs and empty variables are not reported, and no value is shown", () =>
  Effect.gen(function*() {
    expect(
      yield* unknownSettings({
        PATH: "/usr/bin",
        PORT: "8080",
        KAFKA_HEAP_OPTS: "-Xmx1g",
        STRIPE_SECRET_KEY: "sk_test_1",
        BELLTOWER_ALLOW_TARGETS: "10.0.0.0/8",
        BELLTOWER_GOOGLE_CLIENT_SECRET: "s",
        BELLTOWER_GITHUB_URL: "https://github.example.com",
        BELLTOWER_SECRET: "0123456789abcdef",
        BELLTOWER_LOG_FORMAT: "json",
        BELLTOWER_EMPTY: ""
      })
    ).toEqual([])
    expect((yield* unknownSettings({ BELLTOWER_SECRT: "hunter22" })).join()).not.toContain("hunter22")
  }))
