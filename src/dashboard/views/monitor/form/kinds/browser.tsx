/** The form of a monitor of a browser script. */
import { Field } from "../../../../design/Form.tsx"
import { codeField, type KindForm, slowField, tlsVerifyField } from "../KindForm.tsx"
import { browserSnippets } from "../ScriptSnippets.ts"

const example = "await page.goto(\"https://example.com\")\nawait page.click(\"text=Sign in\")\n"

export const browser: KindForm = {
  name: "Browser",
  about: "Runs your steps in a real browser, and takes a screenshot when one fails.",
  main: (monitor) =>
    codeField(
      monitor,
      example,
      "With await, page, assert, step, sleep and console. The check fails if the code throws.",
      browserSnippets
    ),
  more: (monitor) => (
    <>
      {tlsVerifyField(monitor)}
      <div class="columns">
        <Field
          name="viewport.width"
          type="number"
          label="Window width"
          value={monitor?.viewport?.width}
          hint="In pixels. Default: 1280."
        />
        <Field
          name="viewport.height"
          type="number"
          label="Window height"
          value={monitor?.viewport?.height}
          hint="In pixels. Default: 720."
        />
        {slowField(monitor)}
      </div>
    </>
  )
}
