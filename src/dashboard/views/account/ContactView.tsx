/** How a person can be reached when they are on call. */
import { CallForm, Field, Submit } from "../../design/Form.tsx"
import { Panel } from "../../design/Parts.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { read, together, view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"
import { accountTabs } from "./AccountTabs.ts"
import { WaysPanel } from "./PagedBy.tsx"
import { RulesPanel } from "./PagingRulesForm.tsx"

type Contact = AnswerOf<"my_contact">

const Note = ({ confirmed, email }: { readonly email: string; readonly confirmed: boolean }) => {
  const { capturesMail } = useVisit()
  return (
    <>
      When you are on call, you are paged by email at {email}.
      {confirmed
        ? ""
        : " No mail reaches you until you confirm this address: sign in with a link that is sent to it."}
      {capturesMail ? " No mail server is set, so email is captured, not sent." : ""}{" "}
      Add more contact methods below; they count in this workspace.
    </>
  )
}

const attributes = { maxlength: 100, autocomplete: "off" }

const ContactForm = ({ contact }: { readonly contact: Contact }) => (
  <Panel id="contact-details" title="Contact details">
    <CallForm call="update_my_contact" id="contact" of={contact} said="Saved">
      <Field name="name" as="word?" label="Name" value={contact.name} attributes={attributes} />
      <Field
        name="phone"
        as="word?"
        label="Phone"
        value={contact.phone}
        hint="With country code, for example +4930123456"
        attributes={{ ...attributes, inputmode: "tel" }}
      />
      <Field name="slack" as="word?" label="Slack member ID" value={contact.slack} attributes={attributes} />
      <Field name="telegram" as="word?" label="Telegram username" value={contact.telegram} attributes={attributes} />
      <Submit>Save</Submit>
    </CallForm>
  </Panel>
)

export const contactView = view("/app/contact", "account", function*() {
  const [contact, { emailConfirmed, user, workspace }] = yield* together([read("my_contact"), read("me")])
  const paged = workspace === null
    ? null
    : yield* together([
      read("list_contact_ways", { userId: user.id }),
      read("get_paging_rules", { userId: user.id })
    ])
  return {
    title: "Contact",
    head: { tabs: accountTabs("/app/contact"), note: <Note email={contact.email} confirmed={emailConfirmed} /> },
    stack: [
      ...(paged === null
        ? []
        : [
          <WaysPanel ways={paged[0]} userId={user.id} />,
          <RulesPanel rules={paged[1]} userId={user.id} ways={paged[0].data} />
        ]),
      <ContactForm contact={contact} />
    ]
  }
})
