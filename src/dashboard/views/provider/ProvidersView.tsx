/** The services by which this installation reaches people. So far mail; another one is a panel beside it. */
import { Effect } from "effect"
import { Head } from "../../design/Parts.tsx"
import { read } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { MailPanels } from "./MailPanels.tsx"

const providers = Effect.map(read("get_mail_server"), (state) => ({
  title: "Providers",
  body: (
    <>
      <Head title="Providers" note="The services that send messages for all workspaces of this installation." />
      <div class="split">
        <MailPanels state={state} />
      </div>
    </>
  )
}))

export const providersView = view("/app/providers", "providers", providers)
