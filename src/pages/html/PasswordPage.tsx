/** Asks a visitor for the password of a private page. It reveals only the page's name and look. */
import type { HttpServerResponse } from "@effect/platform"
import type { Language } from "../../../schema/page/Page.ts"
import { wordsIn } from "../../domain/page/Languages.ts"
import type { SettledPage } from "../../domain/page/PageDefaults.ts"
import { showSheet } from "./Sheet.tsx"

export const showPasswordPage = ({ below = null, language, page, service, status = 401, url, wrong }: {
  readonly page: Pick<SettledPage, "name" | "theme" | "branding">
  readonly url: string
  /** The path below the page that the visitor asked for. */
  readonly below?: string | null
  /** The address of the service itself. */
  readonly service: string
  readonly language: Language
  readonly status?: number
  readonly wrong?: string
}): HttpServerResponse.HttpServerResponse => {
  const words = wordsIn(language)
  const { branding, name, theme } = page
  return showSheet({
    page: { name, theme, branding, url, service },
    language,
    title: words.passwordTitle,
    status,
    body: (
      <>
        {wrong === undefined ? null : <p class="wrong" role="alert" id="wrong">{wrong}</p>}
        <form method="post" action={`${url}/password`} class="form">
          <label class="field">
            {words.password}
            <input
              type="password"
              name="password"
              required
              maxlength={200}
              autocomplete="current-password"
              {...(wrong === undefined ? {} : { "aria-invalid": "true", "aria-describedby": "wrong" })}
            />
          </label>
          {below === null ? null : <input type="hidden" name="below" value={below} />}
          <button class="button">{words.openPage}</button>
        </form>
      </>
    )
  })
}
