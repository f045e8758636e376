/** The secret of client credentials goes with its client: it is required with it, kept by edits, and gone without it. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { mask } from "../../../../schema/Mask.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import { settleEdit, settleNew } from "../../../../src/domain/monitor/settings/MonitorSettings.ts"

const monitor = { name: "x", kind: "mcp", url: "https://mcp.test/" } as const
const credentials = { tokenUrl: "https://auth.test/token", clientId: "belltower", clientSecret: "cl1ent-s3cr3t" }
const made = (more: MonitorUpdate) => settleNew({ ...monitor, ...more }, { channelIds: [], regions: [] })
const pathOf = (refused: ReturnType<typeof made>) => Either.match(refused, { onLeft: ({ path }) => path, onRight: () => null })

describe("a client's secret", () => {
  it("is required with its client, and goes nowhere else", () => {
    const { clientSecret, ...others } = credentials
    expect(pathOf(made(others))).toBe("clientSecret")
    expect(pathOf(made({ clientSecret }))).toBe("tokenUrl")
    expect(pathOf(made({ ...others, clientSecret: mask }))).toBe("clientSecret")
    expect(pathOf(settleNew({ name: "x", url: "https://a.test/", clientSecret }, { channelIds: [], regions: [] })))
      .toBe("clientSecret")
  })

  it("is kept by edits that omit it or send the mask, and is gone with the client", () => {
    const before = Either.getOrThrow(made(credentials))
    expect(before.secrets.clientSecret).toBe("cl1ent-s3cr3t")
    for (const edit of [{ name: "y" }, { ...credentials, clientSecret: mask }]) {
      expect(Either.getOrThrow(settleEdit(edit, before)).secrets.clientSecret).toBe("cl1ent-s3cr3t")
    }
    const after = Either.getOrThrow(settleEdit({ tokenUrl: null }, before))
    expect([after.secrets.clientSecret, after.target]).toMatchObject([null, { tokenUrl: null, clientId: null }])
  })
})
