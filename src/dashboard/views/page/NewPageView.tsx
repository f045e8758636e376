/** A new status page: its name, address and look. */
import { Effect } from "effect"
import { Buttons, CallForm, Field } from "../../design/Form.tsx"
import { Head } from "../../design/Parts.tsx"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { PresetChoice } from "./PresetChoice.tsx"

const NewPage = ({ baseUrl, name }: { readonly baseUrl: string; readonly name: string }) => (
  <>
    <Head title="New status page" crumbs={[["/app/pages", "Status pages"]]} note="You can change all of this later." />
    <section class="panel">
      <div class="body">
        <CallForm call="create_page" id="new-page" then="/app/pages/{id}/components" said="Page created. Add what it shows.">
          <Field name="name" label="Name" required value={name} attributes={{ maxlength: 100 }} />
          <Field
            name="slug"
            label="Address"
            hint={`The last part of ${baseUrl}/s/…. Default: made from the name`}
            attributes={{ maxlength: 48, pattern: "[a-z0-9\\-]+", autocapitalize: "none" }}
          />
          <PresetChoice value="daylight" hint="Each follows the visitor's light or dark setting." />
          <Buttons>
            <button>Create page</button>
          </Buttons>
        </CallForm>
      </div>
    </section>
  </>
)

export const newPageView = view(
  "/app/pages/new",
  "pages",
  Effect.map(Visit, ({ baseUrl, workspace }) => ({
    title: "New status page",
    body: <NewPage baseUrl={baseUrl} name={workspace?.name ?? ""} />
  }))
)
