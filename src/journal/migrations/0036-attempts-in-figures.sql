-- Declined charges after which another processor was asked: its answer is the charge's end.
alter table figures add column attempt boolean not null default false;

-- Merchants whose declined charges may go on have attempts among their figures: these are added up again.
delete from figures f using routings r where r.merchant_id = f.merchant_id and r.attempts_at_most > 1 and f.portion is null;
delete from figures_known f using routings r where r.merchant_id = f.merchant_id and r.attempts_at_most > 1;
