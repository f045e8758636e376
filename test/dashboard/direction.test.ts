/** Names from right to left, in every view of the dashboard. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { foreignTexts } from "../support/browser/OwnDirection.ts"
import { newOwner } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"
import { everyForm } from "./AllForms.ts"
import { fillWorkspace } from "./FullWorkspace.ts"

const marker = "שלום"

const program = programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" })

layer(program, { excludeTestServices: true, timeout: "120 seconds" })("a name from right to left", (it) => {
  it.scoped("has its own direction in every view, and leaves the words beside it theirs", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const made = yield* fillWorkspace(visitor, (usual) => `${marker} ${usual}`)
      yield* visitor.api("POST", `/incidents/${made.incident.id}/updates`, { message: `${marker} **${marker}**` })
      yield* visitor.api("PUT", `/incidents/${made.over.id}/postmortem`, { markdown: `# ${marker}\n\n- ${marker}` })
      yield* visitor.api("POST", `/incidents/${made.incident.id}/ack`, { note: marker })
      const { documents } = yield* everyForm(visitor)
      const found = [...documents].flatMap(([path, html]) => foreignTexts(html, marker).map((text) => `${path} ${text}`))
      expect(found).toEqual([])
      expect([...documents.values()].filter((html) => html.includes(marker)).length).toBeGreaterThan(30)
    }))
})
