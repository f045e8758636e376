/** The form of a monitor of a script. */
import { certificateFields, codeField, type KindForm, slowField } from "../KindForm.tsx"
import { scriptSnippets } from "../ScriptSnippets.ts"

const example = "const r = await http.get(\"https://example.com\")\nassert(r.status === 200, \"status \" + r.status)\n"

export const script: KindForm = {
  name: "Script",
  about: "Runs your JavaScript in a sandbox, for checks that take several requests.",
  main: (monitor) =>
    codeField(
      monitor,
      example,
      "With await, http, assert, step, sleep, console and env. The check fails if the code throws.",
      scriptSnippets
    ),
  more: (monitor) => (
    <>
      {slowField(monitor)}
      {certificateFields(monitor)}
    </>
  )
}
