/** The frame of every page for those who are not signed in, and its parts. Such a page has no script, and its policy allows none. */
import { HttpServerRequest } from "@effect/platform"
import { DateTime, Effect } from "effect"
import { type ComponentChildren, createContext } from "preact"
import { useContext } from "preact/hooks"
import { regionalLocale } from "../../domain/page/Languages.ts"
import { formOf, momentsIn, type MomentStyle } from "../../domain/tools/time/Moments.ts"
import { Brand } from "../design/Icons.tsx"
import { answerDocument, documentText } from "../Document.tsx"
import { themeOf } from "../ThemeCookie.ts"

interface Page {
  readonly title: string
  readonly status?: number
  readonly body: ComponentChildren
  /** Where its forms may lead beside this service: sources of a policy. */
  readonly formTargets?: ReadonlyArray<string>
}

const Reader = createContext({ locale: "en", now: DateTime.unsafeMake(0) })

/** Answers with a page in the reader's theme, whose dates are those of the reader's region. */
export const show = ({ body, formTargets = [], status = 200, title }: Page) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const reader = { locale: regionalLocale("en", request.headers["accept-language"]), now: yield* DateTime.now }
    return yield* answerDocument(
      documentText({
        title,
        language: "en",
        theme: themeOf(request),
        script: null,
        body: <Reader.Provider value={reader}>{body}</Reader.Provider>
      }),
      status,
      ["style-src 'self'", "img-src data:"],
      formTargets
    )
  })

export const Gate = ({ children, title, wide = false }: {
  readonly children: ComponentChildren
  readonly title: string
  readonly wide?: boolean
}) => (
  <main class={wide ? "gate wide" : "gate"}>
    <Brand href="/" />
    <div class="panel">
      <h1>{title}</h1>
      {children}
    </div>
  </main>
)

export const Wrong = ({ children }: { readonly children: ComponentChildren }) =>
  <p class="wrong" role="alert" id="wrong">{children}</p>

/** The attributes of a field that `wrong` is about. */
export const refused = (wrong: string | undefined) =>
  wrong === undefined ? {} : { "aria-invalid": "true", "aria-describedby": "wrong" } as const

/** A button with its own form, so it works without a script. */
export const Do = ({ action, field, label, look = "" }: {
  readonly action: string
  readonly look?: "" | "plain"
  readonly label: string
  readonly field?: { readonly name: string; readonly value: string }
}) => (
  <form method="post" action={action}>
    <button class={look} {...field}>{label}</button>
  </form>
)

export const Lead = ({ label, to }: { readonly to: string; readonly label: string }) => <a class="button" href={to}>{label}</a>

/** In UTC: a page without a script does not know the reader's zone. */
export const Moment = ({ at }: { readonly at: DateTime.Utc }) => {
  const { locale, now } = useContext(Reader)
  const text = (style: MomentStyle) => momentsIn(locale, "UTC", style).format(DateTime.toEpochMillis(at))
  return <time dateTime={DateTime.formatIso(at)} title={text("full")}>{text(formOf("zoned", "UTC", now, [at]))}</time>
}
