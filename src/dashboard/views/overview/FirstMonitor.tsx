/** The empty dashboard: one field leads to the first monitor. */
import { Buttons, CallForm, Field } from "../../design/Form.tsx"
import { Head } from "../../design/Parts.tsx"

export const FirstMonitor = () => (
  <>
    <Head title="Watch your first address" note="Paste a URL. Belltower checks it immediately and shows you what it saw." />
    <section class="panel">
      <div class="body">
        <CallForm call="create_monitor" id="first" then="/app/monitors/{id}/start" said="Monitor created">
          <Field
            name="url"
            type="url"
            label="URL"
            required
            attributes={{ placeholder: "https://example.com", autofocus: true, maxlength: 2000 }}
          />
          <Field
            name="name"
            label="Name"
            required
            hint="What alerts and status pages call it."
            attributes={{ "maxlength": 120, "data-host-of": "url" }}
          />
          <Buttons>
            <button>Check it now</button>
            <a class="button plain" href="/app/monitors/new">More kinds of monitor</a>
          </Buttons>
        </CallForm>
      </div>
    </section>
  </>
)
