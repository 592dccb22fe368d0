-- Merchants whose declined charges may go on have attempts among their figures: these are added up again, from nothing. First, since
-- what adds figures up takes its row here, and the figures after it.
delete from figures_known f using routings r where r.merchant_id = f.merchant_id and r.attempts_at_most > 1;

-- Declined charges after which another processor was asked: its answer is the charge's end. Null: added up by an older gateway beside
-- this one, which does not tell them apart; it is done again. Of other merchants what is there has no attempts.
alter table figures add column attempt boolean default false;
alter table figures alter column attempt drop default;
create index figures_untold on figures (merchant_id, hour) where attempt is null and portion is null;
