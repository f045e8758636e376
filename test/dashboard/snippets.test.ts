/** The snippets of the script editor are whole pieces of JavaScript. */
import { transformSync } from "esbuild"
import { expect, it } from "vitest"
import { browserSnippets, scriptSnippets } from "../../src/dashboard/views/monitor/form/ScriptSnippets.ts"

/** A snippet as the editor inserts it, its places filled with what they suggest. */
const inserted = (template: string): string => template.replace(/#\{([^}]*)\}/g, (_, suggested: string) => suggested)

it("can be run as they are inserted, each with a name of its own", () => {
  for (const snippets of [scriptSnippets, browserSnippets]) {
    expect(new Set(snippets.map(([name]) => name)).size).toBe(snippets.length)
    for (const [name, template] of snippets) {
      const made = () => transformSync(`async () => {\n${inserted(template)}}`)
      expect(made, name).not.toThrow()
    }
  }
})
