-- Temporary tables of who calls them come last, as in functions that are granted from now on (rights.ts).
do $$
declare
  granted text;
begin
  foreach granted in array array['faregate_remove_old_keys()', 'faregate_remove_old_audit_entries(bigint)'] loop
    if to_regprocedure(granted) is not null then
      execute format('alter function %s set search_path = %I, pg_temp', granted, current_schema());
    end if;
  end loop;
end $$;
