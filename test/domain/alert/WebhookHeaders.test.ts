import { describe, expect, it } from "@effect/vitest"
import { webhookHeaderProblems } from "../../../src/domain/alert/WebhookHeaders.ts"

const namesRefused = (headers: Record<string, string>) => webhookHeaderProblems(headers).map(({ name }) => name)

describe("custom headers of a webhook channel", () => {
  it("may contain credentials and any header that the delivery does not set", () => {
    expect(namesRefused({ Authorization: "Bearer x", "X-Team": "a b", Cookie: "a=b" })).toEqual([])
  })

  it.each([
    "Host",
    "Content-Length",
    "content-type",
    "Transfer-Encoding",
    "Connection",
    "User-Agent",
    "Webhook-Signature",
    "webhook-x"
  ])(
    "must not contain %s",
    (name) => expect(namesRefused({ [name]: "x" })).toEqual([name])
  )

  it("are rejected if they would break the request", () => {
    expect(namesRefused({ "X-A": "a\r\nX-B: b", "X A": "a", "": "a", "X-C": "\u0100", "X-D": "fine" }))
      .toEqual(["X-A", "X A", "", "X-C"])
  })

  it("are rejected when given twice under names that differ in case", () => {
    expect(namesRefused({ "X-A": "1", "x-a": "2" })).toEqual(["x-a"])
  })
})
