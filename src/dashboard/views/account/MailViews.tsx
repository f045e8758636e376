/** The mail that was captured for a person, because no mail server was set. */
import { Effect } from "effect"
import { programCommand } from "../../../domain/workspace/ProgramCommand.ts"
import { Empty, Head, Panel } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { type AnswerOf, read, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { useVisit, Visit } from "../../frame/Visit.ts"
import { AccountHead } from "./AccountHead.tsx"

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
  <Panel id="mails" title="Messages" flush>
    {mails.length === 0 ? <Empty title="No messages" text="What is captured for you appears here." /> : (
      <ul class="rows">
        {mails.map(({ createdAt, id, subject, to }) => (
          <li>
            <div>
              <a class="title" href={`/app/mail/${id}`}>{subject}</a>
              <p class="note">to {to}</p>
            </div>
            <p class="note">
              <Moment at={createdAt} />
            </p>
          </li>
        ))}
      </ul>
    )}
  </Panel>
)

const mails = Effect.gen(function*() {
  const [{ data }, { emailConfirmed }] = yield* Effect.all([read("my_mails"), read("me")], together)
  return {
    title: "Mail",
    body: (
      <>
        <AccountHead title="Mail" here="/app/mail" note={<Note />} />
        <div class="stack">
          {emailConfirmed ? null : <Unproved />}
          <Mails mails={data} />
        </div>
      </>
    )
  }
})

/** Turns URLs of this deployment into links; all other text stays plain. */
const linked = (text: string, baseUrl: string) =>
  text.split(/(https?:\/\/\S+)/).map((part, index) =>
    part.startsWith(`${baseUrl}/`)
      ? <a class="breaks" href={part}>{part}</a>
      : index % 2 === 1
      ? <span class="breaks">{part}</span>
      : part
  )

const mail = Effect.gen(function*() {
  const { baseUrl, params } = yield* Visit
  const { createdAt, subject, text, to } = yield* read("my_mail", { id: params["id"] })
  return {
    title: subject,
    body: (
      <>
        <Head
          title={subject}
          crumbs={[["/app/mail", "Mail"]]}
          note={
            <>
              to {to}, <Moment at={createdAt} />
            </>
          }
        />
        <section class="panel">
          <div class="body">
            <p class="letter">{linked(text, baseUrl)}</p>
          </div>
        </section>
      </>
    )
  }
})

export const mailsView = view("/app/mail", "account", mails)
export const mailView = view("/app/mail/:id", "account", mail)
