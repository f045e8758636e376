/** The mail that was captured for a person, because no mail server was set. */
import { programCommand } from "../../../domain/workspace/ProgramCommand.ts"
import { Box, Item, ListPanel } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { read, together, view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"
import { accountTabs } from "./AccountTabs.ts"

const Note = () =>
  useVisit().capturesMail
    ? (
      <>
        This server sends no email, because no mail server is set: mail is captured, not sent. Messages to you, or about
        workspaces that you own, are kept here for you to forward.
      </>
    )
    : <>This server sends email. Messages that were captured before a mail server was set stay here; they are not sent later.</>

const Unproved = () => {
  const { email } = useVisit().person.user
  return (
    <p class="note">
      Messages to {email}{" "}
      appear once you have proved that it is yours. Sign in with a link that the server's operator creates with{" "}
      <code>{programCommand(`sign-in-link ${email}`)}</code>.
    </p>
  )
}

const Mails = ({ mails }: { readonly mails: AnswerOf<"my_mails">["data"] }) => (
  <ListPanel id="mails" title="Messages" none={["No messages", "What is captured for you appears here."]}>
    {mails.map(({ createdAt, id, subject, to }) => (
      <Item name={subject} href={`/app/mail/${id}`} note={`to ${to}`}>
        <p class="note">
          <Moment at={createdAt} />
        </p>
      </Item>
    ))}
  </ListPanel>
)

/** Turns URLs of this deployment into links; all other text stays plain. */
const linked = (text: string, baseUrl: string) =>
  text.split(/(https?:\/\/\S+)/).map((part, index) =>
    part.startsWith(`${baseUrl}/`)
      ? <a class="breaks" href={part}>{part}</a>
      : index % 2 === 1
      ? <span class="breaks">{part}</span>
      : part
  )

export const mailsView = view("/app/mail", "account", function*() {
  const [{ data }, { emailConfirmed }] = yield* together([read("my_mails"), read("me")])
  return {
    title: "Mail",
    head: { tabs: accountTabs("/app/mail"), note: <Note /> },
    stack: [
      emailConfirmed ? null : <Unproved />,
      <Mails mails={data} />
    ]
  }
})

export const mailView = view("/app/mail/:id", "account", function*({ baseUrl, id }) {
  const { createdAt, subject, text, to } = yield* read("my_mail", { id })
  return {
    title: subject,
    head: {
      crumbs: [["/app/mail", "Mail"]],
      note: (
        <>
          to {to}, <Moment at={createdAt} />
        </>
      )
    },
    body: (
      <Box>
        <p class="letter" dir="auto">{linked(text, baseUrl)}</p>
      </Box>
    )
  }
})
