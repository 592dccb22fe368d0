// The bodies of Stripe's requests: application/x-www-form-urlencoded, in which brackets nest and lists are counted from 0.
// https://docs.stripe.com/api

export interface FormFields {
  readonly [name: string]: FormValue;
}
/** What is undefined is left out; so is an object in which nothing is left. */
type FormValue = string | number | boolean | undefined | readonly FormValue[] | FormFields;

export function formOf(fields: FormFields): string {
  const pairs: string[] = [];
  const add = (name: string, value: FormValue): void => {
    if (value === undefined) return;
    if (typeof value !== "object") pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    else for (const [part, inner] of Object.entries(value)) add(name === "" ? part : `${name}[${part}]`, inner);
  };
  add("", fields);
  return pairs.join("&");
}
