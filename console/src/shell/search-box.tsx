// The one search box. It says what it takes a word for, the likeliest reading first, and goes there.

import { Combobox, Kbd, TextInput, useCombobox } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { Icon } from "../parts/icons.tsx";
import { addressOf } from "../transactions/filters.ts";
import { couldBeCardNumber, type Reading, readingsOf } from "../transactions/search-words.ts";
import classes from "./shell.module.css";

const addressFor = ({ finds }: Reading): string =>
  finds.kind === "transaction" ? `/transactions/${finds.id}` : `/transactions?${addressOf(finds.filters)}`;

export function SearchBox() {
  const [typed, setTyped] = useState("");
  const [, go] = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const combobox = useCombobox({ onDropdownOpen: () => combobox.selectFirstOption() });
  // What was looked for before goes with the first key.
  useHotkeys([["/", () => input.current?.select()]]);
  const { selectFirstOption } = combobox;
  // Only now are the readings of what was typed, or pasted at one stroke, on the page.
  useEffect(() => {
    if (typed !== "") selectFirstOption();
  }, [typed, selectFirstOption]);
  const readings = readingsOf(typed);
  const cardNumber = couldBeCardNumber(typed);

  const choose = (index: string) => {
    const reading = readings[Number(index)];
    if (reading === undefined) return;
    go(addressFor(reading));
    setTyped("");
    combobox.closeDropdown();
    input.current?.blur();
  };

  return (
    <div className={classes.search}>
      <Combobox
        store={combobox}
        onOptionSubmit={choose}
        withinPortal={false}
        position="bottom-start"
        width="max-content"
        classNames={{ dropdown: classes.readings }}
      >
        <Combobox.Target>
          <TextInput
            ref={input}
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              combobox.openDropdown();
            }}
            onBlur={() => combobox.closeDropdown()}
            onKeyDown={(event) => event.key === "Escape" && input.current?.blur()}
            placeholder="Search"
            aria-label="Search by order, e-mail, card digits, amount, date, ticket, passenger, authorization code or id"
            leftSection={<Icon name="search" size={16} />}
            rightSection={
              typed === "" ? (
                <Kbd size="xs" visibleFrom="sm">
                  /
                </Kbd>
              ) : null
            }
            autoComplete="off"
            spellCheck={false}
          />
        </Combobox.Target>
        <Combobox.Dropdown hidden={readings.length === 0 && !cardNumber}>
          <Combobox.Options aria-label="What it may mean">
            {cardNumber && (
              <Combobox.Empty>Not a whole card number: its last four or first six digits are enough.</Combobox.Empty>
            )}
            {readings.map((reading, index) => (
              <Combobox.Option key={`${reading.what} ${typed}`} value={String(index)}>
                <span className={classes.what}>{reading.what}</span> <b className={classes.word}>{typed.trim()}</b>
              </Combobox.Option>
            ))}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
    </div>
  );
}
